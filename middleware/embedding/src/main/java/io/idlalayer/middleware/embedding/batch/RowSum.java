package io.idlalayer.middleware.embedding.batch;

import io.idlalayer.middleware.embedding.loops.RowLoops;

/**
 * Adds up shares of rows, at equal indexes if the loops are faster that way; the resulting bits are
 * equal in both cases. Reused from sum to sum. One thread.
 */
final class RowSum {
  private final RowLoops loops;
  private float[] sum = {};
  private float[] row = {};

  /** The columns of a sum. */
  private float[] columns = {};

  private int at;
  private int count;

  /** Whether this sum is made in a copy of its columns, from copies of the rows. */
  private boolean copied;

  RowSum(RowLoops loops) {
    this.loops = loops;
  }

  /**
   * Begins a sum that adds to the values in some columns.
   *
   * @param length number of columns
   */
  void begin(float[] into, int from, int length) {
    columns = into;
    at = from;
    count = length;
    copied = loops.prefersEqualIndexes(length);
    if (copied) {
      if (sum.length < length) {
        sum = new float[length];
        row = new float[length];
      }
      System.arraycopy(into, from, sum, 0, length);
    }
  }

  /** Adds a share of some numbers. */
  void add(float[] numbers, int from, float share) {
    if (copied) {
      System.arraycopy(numbers, from, row, 0, count);
      loops.add(row, 0, sum, 0, count, share);
    } else {
      loops.add(numbers, from, columns, at, count, share);
    }
  }

  /** Writes the sum to its columns. */
  void end() {
    if (copied) {
      System.arraycopy(sum, 0, columns, at, count);
    }
  }
}
