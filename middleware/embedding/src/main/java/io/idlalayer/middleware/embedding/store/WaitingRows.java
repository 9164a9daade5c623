package io.idlalayer.middleware.embedding.store;

import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Embedding rows that are to be written to a store, in a hash table by their keys. One thread. */
final class WaitingRows {
  private static final int FEWEST_CELLS = 16;

  /**
   * Largest number of bytes that a row takes besides its own: three cells of key and reference, as
   * at least a third of the cells is taken; its key once more when all rows are written; the head
   * of its array.
   */
  private static final int ENTRY_BYTES = 3 * (Long.BYTES + Long.BYTES) + Long.BYTES + 24;

  private long[] keys = new long[FEWEST_CELLS];
  private byte[][] rows = new byte[FEWEST_CELLS][];
  private int size;
  private long bytes;

  int size() {
    return size;
  }

  /**
   * Returns an upper bound of the bytes of DRAM that the rows take. Cells of removed rows, which
   * stay until all rows are written, are not counted.
   */
  long bytes() {
    return bytes;
  }

  /** Returns the row of a key, or null if no such row waits. */
  byte @Nullable [] get(long rowKey) {
    int cell = find(rowKey);
    return keys[cell] == rowKey ? rows[cell] : null;
  }

  /**
   * Adds a row, or replaces the waiting row with this key.
   *
   * @param rowKey not 0
   */
  void put(long rowKey, byte[] row) {
    int cell = find(rowKey);
    if (keys[cell] == rowKey) {
      bytes += row.length - rows[cell].length;
      rows[cell] = row;
      return;
    }
    if (3L * (size + 1L) > 2L * keys.length) {
      grow();
      cell = find(rowKey);
    }
    keys[cell] = rowKey;
    rows[cell] = row;
    size++;
    bytes += ENTRY_BYTES + row.length;
  }

  /** Removes the row of a key. */
  void remove(long rowKey) {
    int gap = find(rowKey);
    if (keys[gap] != rowKey) {
      return;
    }
    size--;
    bytes -= ENTRY_BYTES + rows[gap].length;
    int mask = keys.length - 1;
    // Rows that were pushed past the gap move up.
    for (int next = (gap + 1) & mask; keys[next] != 0; next = (next + 1) & mask) {
      if (((next - home(keys[next])) & mask) >= ((next - gap) & mask)) {
        keys[gap] = keys[next];
        rows[gap] = rows[next];
        gap = next;
      }
    }
    keys[gap] = 0;
    rows[gap] = ReadAhead.ABSENT;
  }

  /** Removes all rows. */
  void clear() {
    keys = new long[FEWEST_CELLS];
    rows = new byte[FEWEST_CELLS][];
    size = 0;
    bytes = 0;
  }

  /**
   * Returns all rows by ascending keys as unsigned numbers. The map is a view that must be read
   * before anything changes; it creates the key objects one at a time.
   */
  Map<Long, byte[]> ascending() {
    long[] sorted = new long[size];
    int at = 0;
    for (long key : keys) {
      if (key != 0) {
        // Sorting signed numbers with the first bit flipped gives the order of unsigned numbers.
        sorted[at++] = key ^ Long.MIN_VALUE;
      }
    }
    Arrays.sort(sorted);
    return new Ascending(sorted);
  }

  private void grow() {
    long[] oldKeys = keys;
    byte[][] oldRows = rows;
    keys = new long[2 * oldKeys.length];
    rows = new byte[keys.length][];
    for (int i = 0; i < oldKeys.length; i++) {
      if (oldKeys[i] != 0) {
        int cell = find(oldKeys[i]);
        keys[cell] = oldKeys[i];
        rows[cell] = oldRows[i];
      }
    }
  }

  /** Returns the cell of a row, or the cell that a new row would take. */
  private int find(long rowKey) {
    int mask = keys.length - 1;
    int cell = home(rowKey);
    while (keys[cell] != 0 && keys[cell] != rowKey) {
      cell = (cell + 1) & mask;
    }
    return cell;
  }

  /**
   * Returns the cell of the hash table at which the search for a row begins. Row keys are hashes.
   */
  private int home(long rowKey) {
    return (int) rowKey & (keys.length - 1);
  }

  private final class Ascending extends AbstractMap<Long, byte[]> {
    private final long[] sorted;

    Ascending(long[] sorted) {
      this.sorted = sorted;
    }

    @Override
    public Set<Map.Entry<Long, byte[]>> entrySet() {
      return new AbstractSet<>() {
        @Override
        public Iterator<Map.Entry<Long, byte[]>> iterator() {
          return new Entries(sorted);
        }

        @Override
        public int size() {
          return sorted.length;
        }
      };
    }
  }

  private final class Entries implements Iterator<Map.Entry<Long, byte[]>> {
    private final long[] sorted;
    private int next;

    Entries(long[] sorted) {
      this.sorted = sorted;
    }

    @Override
    public boolean hasNext() {
      return next < sorted.length;
    }

    @Override
    public Map.Entry<Long, byte[]> next() {
      if (!hasNext()) {
        throw new NoSuchElementException();
      }
      long rowKey = sorted[next++] ^ Long.MIN_VALUE;
      return Map.entry(rowKey, rows[find(rowKey)]);
    }
  }
}
