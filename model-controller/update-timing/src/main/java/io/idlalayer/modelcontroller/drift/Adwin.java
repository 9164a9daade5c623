package io.idlalayer.modelcontroller.drift;

import io.idlalayer.middleware.state.StateFormat;
import io.idlalayer.middleware.state.StateReader;
import java.util.Arrays;

/**
 * ADWIN2 (Bifet 2007): a window that grows while its mean is stable and drops its old part when two
 * parts differ by more than
 *
 * <pre>eps = sqrt(2/m * variance * ln(2/d)) + 2*range/(3m) * ln(2/d),   1/m = 1/n0 + 1/n1,
 * d = delta / ln(n)</pre>
 *
 * The window is an exponential histogram of buckets with 2^row values, at most five in a row, so
 * memory and work per value are O(log window). In Bifet 2007 values lie in [0, 1]. Losses can be
 * larger, so the second term is multiplied by the range of the values in the window. A single
 * extreme value is clamped, because an extreme value would hide every change as long as the value
 * is in the window.
 */
final class Adwin implements DriftDetector {
  /** Largest number of buckets of one size: M of the paper, which recommends 5. */
  private static final int PER_ROW = 5;

  /** Number of bucket sizes. They are enough for 2^40 values, which no job reaches. */
  private static final int ROWS = 40;

  /** Number of values from one check for a change to the next, as in the paper's implementation. */
  private static final int CHECK_EVERY = 32;

  /** Least number of values on either side of a cut of the window. */
  private static final int LEAST_PER_SIDE = 10;

  /**
   * Largest difference of two means that rounding errors can cause, relative to the magnitude of
   * the values.
   */
  private static final double ROUNDING = 1e-9;

  /**
   * Largest rounding error of a variance, which is a difference of squares, relative to the squared
   * magnitude.
   */
  private static final double SQUARE_ROUNDING = 1e-14;

  private static final StateFormat FORMAT = StateFormat.first("drift detector adwin");

  private final double delta;

  // Buckets of a row, oldest first.
  private final double[][] sums = new double[ROWS][PER_ROW + 1];
  private final double[][] squares = new double[ROWS][PER_ROW + 1];
  private final int[] filled = new int[ROWS];

  private long count;
  private double sum;
  private double square;
  private double lowest;
  private double highest;
  private long seen;
  private double before;

  /**
   * @param delta probability of a false alarm per check, in (0, 1)
   */
  Adwin(double delta) {
    this.delta = delta;
    reset();
  }

  @Override
  public boolean observe(double value) {
    DriftDetector.check(value);
    double taken = clamped(value);
    lowest = Math.min(lowest, taken);
    highest = Math.max(highest, taken);
    add(taken);
    seen++;
    return seen % CHECK_EVERY == 0 && count >= 2 * LEAST_PER_SIDE && shrink();
  }

  /**
   * Clamps a value to some standard deviations around the mean of the window. While all values of
   * the window are equal except for rounding errors, the value stays unchanged.
   */
  private double clamped(double value) {
    double mean = sum / count;
    double variance = square / count - mean * mean;
    return count >= 2 * LEAST_PER_SIDE && variance > SQUARE_ROUNDING * square / count
        ? DriftDetector.clamped(value, mean, Math.sqrt(variance))
        : value;
  }

  private void add(double value) {
    count++;
    sum += value;
    square += value * value;
    put(0, value, value * value);
    for (int row = 0; row + 1 < ROWS && filled[row] > PER_ROW; row++) {
      put(row + 1, sums[row][0] + sums[row][1], squares[row][0] + squares[row][1]);
      remove(row, 2);
    }
  }

  private void put(int row, double bucketSum, double bucketSquare) {
    int at = filled[row]++;
    sums[row][at] = bucketSum;
    squares[row][at] = bucketSquare;
  }

  private void remove(int row, int buckets) {
    System.arraycopy(sums[row], buckets, sums[row], 0, filled[row] - buckets);
    System.arraycopy(squares[row], buckets, squares[row], 0, filled[row] - buckets);
    filled[row] -= buckets;
  }

  /**
   * Adds up the buckets pairwise, because a running sum of millions of values would accumulate
   * rounding errors.
   */
  private void addUp() {
    sum = 0;
    square = 0;
    for (int row = ROWS - 1; row >= 0; row--) {
      for (int at = 0; at < filled[row]; at++) {
        sum += sums[row][at];
        square += squares[row][at];
      }
    }
  }

  /** Drops the oldest bucket as long as some cut of the window separates two different means. */
  private boolean shrink() {
    boolean changed = false;
    while (count >= 2 * LEAST_PER_SIDE && cut(!changed)) {
      changed = true;
      dropOldest();
    }
    if (changed) {
      narrow();
    }
    return changed;
  }

  /**
   * Narrows the range to the values that remain in the window: no value of a bucket lies farther
   * from its mean than sqrt((n - 1)/n * sum of squared deviations), with n values in the bucket
   * (Samuelson 1968).
   */
  private void narrow() {
    double low = Double.POSITIVE_INFINITY;
    double high = Double.NEGATIVE_INFINITY;
    for (int row = 0; row < ROWS; row++) {
      double n = 1L << row;
      for (int at = 0; at < filled[row]; at++) {
        double mean = sums[row][at] / n;
        double spread = Math.max(0, squares[row][at] - mean * sums[row][at]);
        double farthest = Math.sqrt((n - 1) / n * (spread + SQUARE_ROUNDING * squares[row][at]));
        low = Math.min(low, mean - farthest);
        high = Math.max(high, mean + farthest);
      }
    }
    lowest = Math.max(lowest, low);
    highest = Math.min(highest, high);
  }

  private boolean cut(boolean first) {
    addUp();
    double logTerm = Math.log(2 * Math.log((double) count) / delta);
    double variance = Math.max(0, square / count - sum / count * (sum / count));
    double range = highest - lowest;
    double rounding = ROUNDING * Math.max(Math.abs(lowest), Math.abs(highest));
    long older = 0;
    double olderSum = 0;
    for (int row = ROWS - 1; row >= 0; row--) {
      for (int at = 0; at < filled[row]; at++) {
        older += 1L << row;
        olderSum += sums[row][at];
        long newer = count - older;
        if (older < LEAST_PER_SIDE || newer < LEAST_PER_SIDE) {
          continue;
        }
        double m = 1 / (1.0 / older + 1.0 / newer);
        double epsilon = Math.sqrt(2 / m * variance * logTerm) + 2 * range / (3 * m) * logTerm;
        if (Math.abs(olderSum / older - (sum - olderSum) / newer) > epsilon + rounding) {
          if (first) {
            before = olderSum / older;
          }
          return true;
        }
      }
    }
    return false;
  }

  private void dropOldest() {
    int row = ROWS - 1;
    while (filled[row] == 0) {
      row--;
    }
    count -= 1L << row;
    sum -= sums[row][0];
    square -= squares[row][0];
    remove(row, 1);
  }

  @Override
  public double before() {
    return before;
  }

  @Override
  public double since() {
    return count == 0 ? before : sum / count;
  }

  /** Returns the number of values in the window. */
  long window() {
    return count;
  }

  @Override
  public void reset() {
    Arrays.fill(filled, 0);
    count = 0;
    sum = 0;
    square = 0;
    seen = 0;
    before = 0;
    lowest = Double.POSITIVE_INFINITY;
    highest = Double.NEGATIVE_INFINITY;
  }

  @Override
  public byte[] snapshot() {
    int rowLength = PER_ROW + 1;
    double[] allSums = new double[ROWS * rowLength];
    double[] allSquares = new double[ROWS * rowLength];
    for (int row = 0; row < ROWS; row++) {
      System.arraycopy(sums[row], 0, allSums, row * rowLength, rowLength);
      System.arraycopy(squares[row], 0, allSquares, row * rowLength, rowLength);
    }
    return FORMAT
        .writer()
        .putLong(1, count)
        .putDouble(2, sum)
        .putDouble(3, square)
        .putDouble(4, lowest)
        .putDouble(5, highest)
        .putLong(6, seen)
        .putDouble(7, before)
        .putInts(8, filled)
        .putDoubles(9, allSums)
        .putDoubles(10, allSquares)
        .bytes();
  }

  @Override
  public void restore(byte[] snapshot) {
    StateReader in = FORMAT.reader(snapshot);
    int rowLength = PER_ROW + 1;
    int[] buckets = in.getInts(8);
    if (buckets.length != ROWS) {
      throw in.refused("field 8: %d rows instead of %d".formatted(buckets.length, ROWS));
    }
    for (int row = 0; row < ROWS; row++) {
      if (buckets[row] < 0 || buckets[row] > PER_ROW) {
        throw in.refused(
            "field 8: %d buckets in row %d, at most %d fit".formatted(buckets[row], row, PER_ROW));
      }
    }
    double[] allSums = in.getDoubles(9, ROWS * rowLength);
    double[] allSquares = in.getDoubles(10, ROWS * rowLength);
    count = in.getLong(1);
    sum = in.getDouble(2);
    square = in.getDouble(3);
    lowest = in.getDouble(4);
    highest = in.getDouble(5);
    seen = in.getLong(6);
    before = in.getDouble(7);
    System.arraycopy(buckets, 0, filled, 0, ROWS);
    for (int row = 0; row < ROWS; row++) {
      System.arraycopy(allSums, row * rowLength, sums[row], 0, rowLength);
      System.arraycopy(allSquares, row * rowLength, squares[row], 0, rowLength);
    }
  }
}
