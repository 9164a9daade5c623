package io.idlalayer.jobs.operator;

import java.util.Iterator;
import java.util.Map;
import org.apache.flink.api.common.state.MapState;
import org.jspecify.annotations.Nullable;

/**
 * A map from numbers to bytes in Flink's keyed state, for the learner of the current key. Each call
 * that fails throws an exception that {@link StateFailures} creates. This also holds for the steps
 * of an iterator.
 */
final class KeyedBytes {
  private final MapState<Long, byte[]> state;
  private final String content;
  private final StateFailures failures;

  /**
   * @param content what the entries are, in the plural, for messages
   */
  KeyedBytes(MapState<Long, byte[]> state, String content, StateFailures failures) {
    this.state = state;
    this.content = content;
    this.failures = failures;
  }

  byte @Nullable [] get(long key) {
    try {
      return state.get(key);
    } catch (Exception failed) {
      throw failures.of("cannot read entry %d of the %s".formatted(key, content), failed);
    }
  }

  void put(long key, byte[] bytes) {
    try {
      state.put(key, bytes);
    } catch (Exception failed) {
      throw failures.of("cannot write entry %d of the %s".formatted(key, content), failed);
    }
  }

  void putAll(Map<Long, byte[]> changed) {
    try {
      state.putAll(changed);
    } catch (Exception failed) {
      throw failures.of(
          "cannot write %d entries of the %s".formatted(changed.size(), content), failed);
    }
  }

  void remove(long key) {
    try {
      state.remove(key);
    } catch (Exception failed) {
      throw failures.of("cannot delete entry %d of the %s".formatted(key, content), failed);
    }
  }

  void clear() {
    try {
      state.clear();
    } catch (RuntimeException failed) {
      throw failures.of("cannot delete the " + content, failed);
    }
  }

  /**
   * Returns all entries of the map, in the order in which RocksDB has them: by the big-endian bytes
   * of the keys.
   */
  Iterator<Map.Entry<Long, byte[]>> entries() {
    try {
      return new Entries(state.entries().iterator());
    } catch (Exception failed) {
      throw unread(failed);
    }
  }

  private RuntimeException unread(Exception cause) {
    return failures.of("cannot look through the " + content, cause);
  }

  /**
   * An iterator over the entries of the map. Flink reads about a hundred entries from RocksDB at a
   * time, in the step that needs the first of them.
   */
  private final class Entries implements Iterator<Map.Entry<Long, byte[]>> {
    private final Iterator<Map.Entry<Long, byte[]>> of;

    Entries(Iterator<Map.Entry<Long, byte[]>> of) {
      this.of = of;
    }

    @Override
    public boolean hasNext() {
      try {
        return of.hasNext();
      } catch (RuntimeException failed) {
        throw unread(failed);
      }
    }

    @Override
    public Map.Entry<Long, byte[]> next() {
      if (!hasNext()) {
        throw new java.util.NoSuchElementException();
      }
      try {
        return of.next();
      } catch (RuntimeException failed) {
        throw unread(failed);
      }
    }
  }
}
