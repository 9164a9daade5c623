package io.idlalayer.modelcontroller.drift;

import io.idlalayer.middleware.state.StateFormat;
import io.idlalayer.middleware.state.StateReader;

/**
 * Detects a rise of the mean of a stream by the Page-Hinkley test (Page 1954, Mouss 2004). The test
 * adds up how far each value x_i lies above the mean so far plus a tolerance, m = sum (x_i - mean_i
 * - tolerance), and raises an alarm when m - min m exceeds a threshold. Tolerance and threshold are
 * in standard deviations of the values so far, so that one setting fits small and large losses.
 *
 * <p>The class differs from the published test in two ways, because the values are losses. Mean and
 * deviation are taken over about the last 2,000 values, because otherwise the high losses of a new
 * model would hide every later rise. One value adds at most ten deviations to m, because otherwise
 * a single error of a good classifier would raise an alarm.
 */
final class PageHinkley implements DriftDetector {
  /** Least number of values from which a standard deviation is estimated. */
  private static final int LEAST_VALUES = 30;

  /** Number of latest values over which mean and deviation are taken. */
  private static final int HORIZON = 2_000;

  /** Largest amount, in standard deviations, that one value adds to the sum m of the test. */
  private static final double LARGEST_STEP = 10;

  /** Weight of the latest value in the recent mean, which is a mean over about 64 values. */
  private static final double RECENT_GAIN = 1 / 64.0;

  private static final StateFormat FORMAT = StateFormat.first("drift detector page-hinkley");

  private final double tolerance;
  private final double threshold;

  private long count;
  private double mean;
  private double squares;
  private double excess;
  private double leastExcess;
  private double meanAtLeast;
  private double recent;
  private double before;

  /**
   * @param tolerance rise of the mean that does not count as a change, in standard deviations
   * @param threshold cumulated rise that counts as a change, in standard deviations
   */
  PageHinkley(double tolerance, double threshold) {
    this.tolerance = tolerance;
    this.threshold = threshold;
  }

  @Override
  public boolean observe(double value) {
    DriftDetector.check(value);
    double taken = value;
    if (count >= LEAST_VALUES && squares > 0) {
      taken = DriftDetector.clamped(value, mean, Math.sqrt(squares / count));
    }
    learn(taken);
    recent = count == 1 ? taken : recent + RECENT_GAIN * (taken - recent);
    double deviation = Math.sqrt(squares / count);
    if (count < LEAST_VALUES || deviation <= 0) {
      meanAtLeast = mean;
      return false;
    }
    excess += Math.min(LARGEST_STEP, (taken - mean) / deviation) - tolerance;
    if (excess <= leastExcess) {
      leastExcess = excess;
      meanAtLeast = mean;
    }
    if (excess - leastExcess <= threshold) {
      return false;
    }
    double level = meanAtLeast;
    double now = recent;
    reset();
    before = level;
    recent = now;
    return true;
  }

  private void learn(double value) {
    if (count == HORIZON) {
      squares *= 1 - 1.0 / HORIZON;
    } else {
      count++;
    }
    double old = mean;
    mean += (value - mean) / count;
    squares += (value - old) * (value - mean);
  }

  @Override
  public double before() {
    return before;
  }

  @Override
  public double since() {
    return recent;
  }

  @Override
  public void reset() {
    count = 0;
    mean = 0;
    squares = 0;
    excess = 0;
    leastExcess = 0;
    meanAtLeast = 0;
    recent = 0;
    before = 0;
  }

  @Override
  public byte[] snapshot() {
    return FORMAT
        .writer()
        .putLong(1, count)
        .putDouble(2, mean)
        .putDouble(3, squares)
        .putDouble(4, excess)
        .putDouble(5, leastExcess)
        .putDouble(6, meanAtLeast)
        .putDouble(7, recent)
        .putDouble(8, before)
        .bytes();
  }

  @Override
  public void restore(byte[] snapshot) {
    StateReader in = FORMAT.reader(snapshot);
    count = in.getLong(1);
    mean = in.getDouble(2);
    squares = in.getDouble(3);
    excess = in.getDouble(4);
    leastExcess = in.getDouble(5);
    meanAtLeast = in.getDouble(6);
    recent = in.getDouble(7);
    before = in.getDouble(8);
  }
}
