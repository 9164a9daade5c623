package io.idlalayer.jobs.operator;

import io.idlalayer.middleware.embedding.RowLog;
import io.idlalayer.middleware.embedding.RowStore;
import io.idlalayer.middleware.embedding.RowStoreException;
import java.util.Iterator;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.api.common.state.MapState;

/**
 * The rows of the learner of the current key, in map states of RocksDB, which iterates in the order
 * of the keys' big-endian bytes.
 */
final class FlinkRowStore implements RowStore {
  private final MapState<Long, byte[]> rows;
  private final RowLog changes;
  private final RowLog history;
  private final MapState<Long, byte[]> blocks;
  private final SlowFolder folder;

  /**
   * @param changes entries of the log of changes, by their numbers
   * @param history entries of the log of what rows were, by theirs
   * @param blocks of the filter, by theirs
   * @param folder that the states are in
   */
  FlinkRowStore(
      MapState<Long, byte[]> rows,
      MapState<Long, byte[]> changes,
      MapState<Long, byte[]> history,
      MapState<Long, byte[]> blocks,
      SlowFolder folder) {
    this.rows = rows;
    this.changes = new Log(changes, "log of changed rows", folder);
    this.history = new Log(history, "history of rows", folder);
    this.blocks = blocks;
    this.folder = folder;
  }

  private static RowStoreException failure(String what, SlowFolder folder, Exception cause) {
    return new RowStoreException(
        "%s (%s). %s".formatted(what, cause.getMessage(), folder.advice()), cause);
  }

  /**
   * A log in a map state.
   *
   * @param name for messages
   */
  private record Log(MapState<Long, byte[]> state, String name, SlowFolder folder)
      implements RowLog {
    @Override
    public void append(long number, byte[] entry) {
      try {
        state.put(number, entry);
      } catch (Exception failed) {
        throw failure("cannot write entry %d of the %s".formatted(number, name), folder, failed);
      }
    }

    @Override
    public Iterable<Map.Entry<Long, byte[]>> entries() {
      TreeMap<Long, byte[]> ascending = new TreeMap<>();
      try {
        state.entries().forEach(each -> ascending.put(each.getKey(), each.getValue()));
      } catch (Exception failed) {
        throw failure("cannot read the " + name, folder, failed);
      }
      return ascending.entrySet();
    }

    @Override
    public void forget(long from, long upTo) {
      try {
        for (long number = from; number <= upTo; number++) {
          state.remove(number);
        }
      } catch (Exception failed) {
        throw failure(
            "cannot delete entries %d to %d of the %s".formatted(from, upTo, name), folder, failed);
      }
    }
  }

  @Override
  public void read(long[] rowKeys, int count, RowReader reader) {
    for (int i = 0; i < count; i++) {
      byte[] row = read(rowKeys[i]);
      if (row != null) {
        reader.row(i, row);
      }
    }
  }

  private byte @org.jspecify.annotations.Nullable [] read(long rowKey) {
    try {
      return rows.get(rowKey);
    } catch (Exception failed) {
      throw failure("cannot read row %016x".formatted(rowKey), folder, failed);
    }
  }

  @Override
  public void write(Map<Long, byte[]> changed) {
    try {
      rows.putAll(changed);
    } catch (Exception failed) {
      throw failure("cannot write %d rows".formatted(changed.size()), folder, failed);
    }
  }

  @Override
  public void remove(long[] rowKeys, int count) {
    try {
      for (int i = 0; i < count; i++) {
        rows.remove(rowKeys[i]);
      }
    } catch (Exception failed) {
      throw failure("cannot delete %d rows".formatted(count), folder, failed);
    }
  }

  @Override
  public Iterator<Map.Entry<Long, byte[]>> rows() {
    try {
      return rows.entries().iterator();
    } catch (Exception failed) {
      throw failure("cannot look through the rows", folder, failed);
    }
  }

  @Override
  public RowLog changes() {
    return changes;
  }

  @Override
  public RowLog history() {
    return history;
  }

  @Override
  public void writeFilter(Map<Long, byte[]> changed) {
    try {
      blocks.putAll(changed);
    } catch (Exception failed) {
      throw failure(
          "cannot write %d blocks of the filter of ids".formatted(changed.size()), folder, failed);
    }
  }

  @Override
  public Iterator<Map.Entry<Long, byte[]>> filter() {
    try {
      return blocks.entries().iterator();
    } catch (Exception failed) {
      throw failure("cannot read the filter of ids", folder, failed);
    }
  }

  @Override
  public void clearFilter() {
    blocks.clear();
  }
}
