package io.idlalayer.middleware.cache.policy;

import io.idlalayer.middleware.primitive.BitMixer;

/**
 * Estimates how often keys were referenced lately. It is a count-min sketch of four rows of 4-bit
 * counters, which are all halved after a number of references that is ten times the expected number
 * of entries (TinyLFU, Einziger 2017).
 */
final class FrequencySketch {
  private static final int ROWS = 4;
  private static final int REFERENCES_PER_ENTRY = 10;
  private static final long HALF_MASK = 0x7777777777777777L;
  private static final long ODD_MASK = 0x1111111111111111L;
  private static final int COUNTER_MAX = 15;
  private static final int LEAST_ENTRIES = 16;
  private static final int MOST_ENTRIES = 1 << 27;
  private static final int TABLE_SLACK = 8;

  private long[] table = new long[LEAST_ENTRIES];
  private int entries = LEAST_ENTRIES;
  private int additions;

  /**
   * Sets the expected number of cache entries, which determines the size of the table. If a larger
   * table is needed, it starts without counts. If the table is far too large, a smaller table is
   * created, also without counts, because halving takes time in proportion to the length of the
   * table.
   */
  void ensure(int expectedEntries) {
    entries = Math.min(MOST_ENTRIES, Math.max(LEAST_ENTRIES, expectedEntries));
    int length = Integer.highestOneBit(entries - 1) << 1;
    if (length > table.length || length < table.length / TABLE_SLACK) {
      table = new long[length];
      additions = 0;
    }
  }

  /** Returns the estimated number of recent references of a key, at most 15. */
  int frequency(long hash) {
    int least = COUNTER_MAX;
    for (int row = 0; row < ROWS; row++) {
      least = Math.min(least, (int) (table[index(hash, row)] >>> shift(hash, row)) & COUNTER_MAX);
    }
    return least;
  }

  void add(long hash) {
    boolean added = false;
    for (int row = 0; row < ROWS; row++) {
      int index = index(hash, row);
      int shift = shift(hash, row);
      if (((table[index] >>> shift) & COUNTER_MAX) < COUNTER_MAX) {
        table[index] += 1L << shift;
        added = true;
      }
    }
    if (added && ++additions >= REFERENCES_PER_ENTRY * (long) entries) {
      halve();
    }
  }

  /**
   * Returns the index of the word that contains a key's counter for a row. A word contains 16
   * counters, and row r uses the r-th group of four counters, so rows never share a counter.
   */
  private int index(long hash, int row) {
    long mixed = (hash + row * BitMixer.GOLDEN_RATIO) * 0xBF58476D1CE4E5B9L;
    return (int) (mixed >>> 36) & (table.length - 1);
  }

  private static int shift(long hash, int row) {
    return ((row << 2) | ((int) (hash >>> (row << 1)) & 3)) << 2;
  }

  private void halve() {
    int odd = 0;
    for (int i = 0; i < table.length; i++) {
      odd += Long.bitCount(table[i] & ODD_MASK);
      table[i] = (table[i] >>> 1) & HALF_MASK;
    }
    additions = (additions - (odd >>> 2)) >>> 1;
  }

  long bytes() {
    return 8L * table.length;
  }
}
