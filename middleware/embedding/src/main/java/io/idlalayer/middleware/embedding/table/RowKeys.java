package io.idlalayer.middleware.embedding.table;

import io.idlalayer.middleware.primitive.BitMixer;

/** A set of row keys, which are never 0, without an object for each key. One thread. */
final class RowKeys {
  private final long[] cells;

  /**
   * @param most number of keys at most, at least 0
   */
  RowKeys(int most) {
    // A power of two, full to three quarters at most.
    int fewest = Math.addExact(most, most / 3);
    cells = new long[Integer.highestOneBit(Math.max(1, fewest)) << 1];
  }

  /**
   * Returns an upper bound of the heap bytes: 24 for each key of the largest number of keys, and
   * 32.
   */
  long bytes() {
    return (long) cells.length * Long.BYTES;
  }

  /** Adds a key; returns whether the set did not have it before. */
  boolean add(long rowKey) {
    int cell = BitMixer.cell(rowKey, cells.length);
    while (cells[cell] != 0) {
      if (cells[cell] == rowKey) {
        return false;
      }
      cell = (cell + 1) & (cells.length - 1);
    }
    cells[cell] = rowKey;
    return true;
  }
}
