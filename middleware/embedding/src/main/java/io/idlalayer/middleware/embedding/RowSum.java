package io.idlalayer.middleware.embedding;

/**
 * Adds shares of rows up. Long rows are first copied to where sum and row have the same index: only
 * then does the JVM compute many numbers at a time, since two places of which it knows no more than
 * that they are in arrays might overlap. The result is the same bit for bit. Reused from sum to
 * sum; one thread.
 */
final class RowSum {
  /** Numbers from which on the copies are worth it. */
  static final int LONG = 32;

  private float[] sum = {};
  private float[] row = {};

  /** The columns of a sum. */
  private float[] columns = {};

  private int at;
  private int count;

  /**
   * Begins a sum on top of what is in some columns.
   *
   * @param length how many columns there are
   */
  void begin(float[] into, int from, int length) {
    columns = into;
    at = from;
    count = length;
    if (length >= LONG) {
      if (sum.length < length) {
        sum = new float[length];
        row = new float[length];
      }
      System.arraycopy(into, from, sum, 0, length);
    }
  }

  /** Adds a share of some numbers. */
  void add(float[] numbers, int from, float share) {
    if (count < LONG) {
      Pooling.add(numbers, from, count, share, columns, at);
    } else {
      System.arraycopy(numbers, from, row, 0, count);
      Pooling.add(row, 0, count, share, sum, 0);
    }
  }

  /** Writes the sum to its columns. */
  void end() {
    if (count >= LONG) {
      System.arraycopy(sum, 0, columns, at, count);
    }
  }
}
