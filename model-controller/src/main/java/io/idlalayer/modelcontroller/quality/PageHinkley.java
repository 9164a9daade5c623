package io.idlalayer.modelcontroller.quality;

import java.nio.ByteBuffer;

/**
 * The Page-Hinkley test for a rise of the mean (Page 1954; Mouss et al. 2004): m = sum (x_i -
 * mean_i - tolerance), alarm when m - min m exceeds a threshold. Both are in standard deviations of
 * what was seen, so that one setting fits losses of every scale.
 *
 * <p>Two changes for losses. Mean and deviation forget with a horizon of 2,000 values, or the high
 * losses of a model that has just begun would hide every later rise. And one value adds at most ten
 * deviations to m, or a single error of a good classifier would be an alarm.
 */
final class PageHinkley implements DriftDetector {
  private static final int LEAST = 30;
  private static final int HORIZON = 2_000;
  private static final double MOST = 10;
  private static final double RECENT = 1 / 64.0;

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
   * @param tolerance rise that is no change, in standard deviations
   * @param threshold cumulated rise that is one, in standard deviations
   */
  PageHinkley(double tolerance, double threshold) {
    this.tolerance = tolerance;
    this.threshold = threshold;
  }

  @Override
  public boolean observe(double value) {
    DriftDetector.check(value);
    double taken = value;
    if (count >= LEAST && squares > 0) {
      taken = DriftDetector.within(value, mean, Math.sqrt(squares / count));
    }
    learn(taken);
    recent = count == 1 ? taken : recent + RECENT * (taken - recent);
    double deviation = Math.sqrt(squares / count);
    if (count < LEAST || deviation <= 0) {
      meanAtLeast = mean;
      return false;
    }
    excess += Math.min(MOST, (taken - mean) / deviation) - tolerance;
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
  public int bytes() {
    return 8 * 8;
  }

  @Override
  public void write(ByteBuffer out) {
    out.putLong(count).putDouble(mean).putDouble(squares).putDouble(excess);
    out.putDouble(leastExcess).putDouble(meanAtLeast).putDouble(recent).putDouble(before);
  }

  @Override
  public void read(ByteBuffer in) {
    count = in.getLong();
    mean = in.getDouble();
    squares = in.getDouble();
    if (count > HORIZON) {
      squares *= (double) HORIZON / count;
      count = HORIZON;
    }
    excess = in.getDouble();
    leastExcess = in.getDouble();
    meanAtLeast = in.getDouble();
    recent = in.getDouble();
    before = in.getDouble();
  }
}
