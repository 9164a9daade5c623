package io.idlalayer.modelruntime.artifact;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.function.DoublePredicate;

/**
 * Raw values of a column that were stored at regular intervals: over the later half of a young
 * stream, and over about the last {@link #LENGTH} times {@link #LONGEST_INTERVAL} values of an old
 * one. Few of them are outliers unless most of the stream is. Not thread-safe.
 */
final class ColumnHistory {
  /** Largest number of values that are kept. */
  static final int LENGTH = 32;

  /** Number of values from one that is kept to the next, in an old stream. */
  static final int LONGEST_INTERVAL = 16;

  private static final double NORMAL_PER_MEDIAN_DEVIATION = 1.4826;

  /**
   * If half the mean squared step is less than this part of the variance, the values lie on a
   * smooth curve. For values without order half the mean squared step equals the variance, with a
   * standard error of 0.18.
   */
  private static final double SMOOTH = 0.4;

  /** The values, the oldest first. */
  private final double[] values = new double[LENGTH];

  /** The values in the order of {@link Double#compare}. */
  private final double[] sorted = new double[LENGTH];

  private int count;
  private int skipped;

  /**
   * @param bytes what {@link #bytes} returned
   * @param skipped number of values since the last one that was kept
   */
  ColumnHistory(byte[] bytes, int skipped) {
    count = bytes.length / Double.BYTES;
    ByteBuffer.wrap(bytes).asDoubleBuffer().get(values, 0, count);
    sort();
    this.skipped = skipped;
  }

  static boolean valid(byte[] bytes, int skipped) {
    return bytes != null
        && bytes.length <= LENGTH * Double.BYTES
        && bytes.length % Double.BYTES == 0
        && skipped >= 0
        && skipped < LONGEST_INTERVAL;
  }

  /**
   * Returns values of several histories, alternating, the newest of each; the oldest first.
   *
   * @param histories what {@link #bytes} returned of each
   */
  static byte[] mixed(List<byte[]> histories) {
    Deque<Double> newestFirst = new ArrayDeque<>();
    for (int back = 1; back <= LENGTH; back++) {
      for (byte[] history : histories) {
        int at = history.length - back * Double.BYTES;
        if (at >= 0 && newestFirst.size() < LENGTH) {
          newestFirst.addLast(ByteBuffer.wrap(history).getDouble(at));
        }
      }
    }
    ByteBuffer bytes = ByteBuffer.allocate(newestFirst.size() * Double.BYTES);
    while (!newestFirst.isEmpty()) {
      bytes.putDouble(newestFirst.removeLast());
    }
    return bytes.array();
  }

  byte[] bytes() {
    ByteBuffer bytes = ByteBuffer.allocate(count * Double.BYTES);
    bytes.asDoubleBuffer().put(values, 0, count);
    return bytes.array();
  }

  int skipped() {
    return skipped;
  }

  int count() {
    return count;
  }

  /**
   * Offers the next value of the stream.
   *
   * @param before number of values of the stream before it
   */
  void add(double value, long before) {
    if (++skipped < interval(before)) {
      return;
    }
    skipped = 0;
    if (count == LENGTH) {
      int oldest = Arrays.binarySearch(sorted, 0, count, values[0]);
      System.arraycopy(sorted, oldest + 1, sorted, oldest, count - oldest - 1);
      System.arraycopy(values, 1, values, 0, LENGTH - 1);
      count--;
    }
    int found = Arrays.binarySearch(sorted, 0, count, value);
    int place = found < 0 ? -found - 1 : found;
    System.arraycopy(sorted, place, sorted, place + 1, count - place);
    sorted[place] = value;
    values[count++] = value;
  }

  private void sort() {
    System.arraycopy(values, 0, sorted, 0, count);
    Arrays.sort(sorted, 0, count);
  }

  private static long interval(long before) {
    return Math.max(1, Math.min(LONGEST_INTERVAL, before / (2 * LENGTH)));
  }

  /** Forgets the values that do not meet a condition. */
  void retain(DoublePredicate condition) {
    int kept = 0;
    for (int i = 0; i < count; i++) {
      if (condition.test(values[i])) {
        values[kept++] = values[i];
      }
    }
    count = kept;
    sort();
  }

  double[] values() {
    return Arrays.copyOf(values, count);
  }

  /** Returns whether the newer half of a full history holds one number only. */
  boolean newerHalfIs(double value) {
    if (count < LENGTH / 2) {
      return false;
    }
    for (int i = count - LENGTH / 2; i < count; i++) {
      if (values[i] != value) {
        return false;
      }
    }
    return true;
  }

  /**
   * Returns the median; of two middle values the lower one, because their mean may lie between two
   * groups, far from all values.
   */
  double middle() {
    return sorted[(count - 1) / 2];
  }

  /** Returns the median of the newer half. */
  double newerMiddle() {
    return median(Arrays.copyOfRange(values, count / 2, count));
  }

  /**
   * Returns the robust deviation of the values; 0 if more than half of them are equal.
   *
   * @param middle what {@link #middle} returns
   */
  double deviation(double middle) {
    // The values nearest to the middle lie side by side in order, around its place.
    int below = (count - 1) / 2;
    int above = below + 1;
    double distance = 0;
    for (int nearer = 0; nearer <= (count - 1) / 2; nearer++) {
      double down = below < 0 ? Double.POSITIVE_INFINITY : Math.abs(sorted[below] - middle);
      double up = above == count ? Double.POSITIVE_INFINITY : Math.abs(sorted[above] - middle);
      boolean downNext = down <= up && below >= 0;
      distance = downNext ? down : up;
      below -= downNext ? 1 : 0;
      above += downNext ? 0 : 1;
    }
    return NORMAL_PER_MEDIAN_DEVIATION * distance;
  }

  /**
   * Returns how many times the stream left a range, and came back in between: values of a tail do
   * so again and again, a burst of outliers and a change of the stream once.
   *
   * @param newest number of values to look at, the newest ones
   */
  int excursions(int newest, double middle, double distance) {
    int excursions = 0;
    boolean far = false;
    for (int i = Math.max(0, count - newest); i < count; i++) {
      boolean was = far;
      far = Math.abs(values[i] - middle) > distance;
      excursions += far && !was ? 1 : 0;
    }
    return excursions;
  }

  /**
   * The distances of the values from their median; values that are equal to it are counted
   * separately.
   *
   * @param others number of values that differ from the median
   * @param logarithm mean logarithm of their distances from it, which a few far values move little;
   *     0 without others
   * @param deviation standard deviation of these logarithms
   */
  record Distances(int others, double logarithm, double deviation) {}

  static Distances distances(double[] values, double middle) {
    int others = 0;
    double sum = 0;
    double squares = 0;
    for (double value : values) {
      if (value != middle) {
        double logarithm = Math.log(Math.abs(value - middle));
        others++;
        sum += logarithm;
        squares += logarithm * logarithm;
      }
    }
    if (others == 0) {
      return new Distances(0, 0, 0);
    }
    double mean = sum / others;
    return new Distances(others, mean, Math.sqrt(Math.max(0, squares / others - mean * mean)));
  }

  /**
   * The variance of the values after each was clamped to a range, and whether they lie on a curve.
   *
   * @param variance their variance
   * @param smooth whether they lie on a curve rather than around it
   */
  record Local(double variance, boolean smooth) {}

  /** Returns the variance of the values after clamping each to a range. */
  Local local(double least, double most) {
    double sum = 0;
    for (int i = 0; i < count; i++) {
      sum += within(values[i], least, most);
    }
    double mean = sum / count;
    double squares = 0;
    double steps = 0;
    double last = within(values[0], least, most);
    for (int i = 0; i < count; i++) {
      double value = within(values[i], least, most);
      squares += (value - mean) * (value - mean);
      steps += (value - last) * (value - last);
      last = value;
    }
    return new Local(squares / count, steps < 2 * SMOOTH * squares);
  }

  private static double within(double value, double least, double most) {
    return Math.max(least, Math.min(most, value));
  }

  static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[(sorted.length - 1) / 2];
  }

  /**
   * Returns a robust scale of values, from the median deviation; if more than half of the values
   * are equal, from the mean deviation without the farthest value of each 64.
   */
  static double spread(double[] values, double middle) {
    double[] deviations = deviations(values, middle);
    double median = median(deviations);
    if (median > 0) {
      return NORMAL_PER_MEDIAN_DEVIATION * median;
    }
    Arrays.sort(deviations);
    int near = deviations.length - Math.max(1, deviations.length / 64);
    double sum = 0;
    for (int i = 0; i < near; i++) {
      sum += deviations[i];
    }
    return near > 0 ? RobustColumn.NORMAL_PER_MEAN_DEVIATION * sum / near : 0;
  }

  private static double[] deviations(double[] values, double middle) {
    double[] deviations = new double[values.length];
    for (int i = 0; i < deviations.length; i++) {
      deviations[i] = Math.abs(values[i] - middle);
    }
    return deviations;
  }
}
