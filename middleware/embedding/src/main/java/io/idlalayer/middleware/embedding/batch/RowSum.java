package io.idlalayer.middleware.embedding.batch;

import io.idlalayer.middleware.embedding.loops.RowLoops;

/**
 * Adds up rows, each multiplied by a factor; copies them to equal indexes where that is faster,
 * with the same resulting bits. Reused from sum to sum. One thread.
 */
final class RowSum {
  private final RowLoops loops;
  private float[] sum = {};
  private float[] row = {};

  /** The array that the sum is added to. */
  private float[] columns = {};

  private int at;
  private int count;

  /** Whether the running sum adds up in a copy of its columns, from copies of the rows. */
  private boolean copied;

  RowSum(RowLoops loops) {
    this.loops = loops;
  }

  /**
   * Begins a sum that is added to the values in some columns of an array.
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

  /** Adds a row multiplied by a factor. */
  void add(float[] numbers, int from, float share) {
    if (copied) {
      System.arraycopy(numbers, from, row, 0, count);
      loops.add(row, 0, sum, 0, count, share);
    } else {
      loops.add(numbers, from, columns, at, count, share);
    }
  }

  /** Writes the finished sum to its columns. */
  void end() {
    if (copied) {
      System.arraycopy(sum, 0, columns, at, count);
    }
  }
}
