package io.idlalayer.modelcontroller.quality;

import java.nio.ByteBuffer;

/**
 * The Page-Hinkley test for a rise of the mean (Page 1954; Mouss et al. 2004): m = sum (x_i -
 * mean_i - tolerance), alarm when m - min m exceeds a threshold. Both are in standard deviations of
 * what was seen, so that one setting fits losses of every scale.
 */
final class PageHinkley implements DriftDetector {
  private static final int LEAST = 30;
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
    count++;
    double old = mean;
    mean += (value - mean) / count;
    squares += (value - old) * (value - mean);
    recent = count == 1 ? value : recent + RECENT * (value - recent);
    double deviation = Math.sqrt(squares / count);
    if (count < LEAST || deviation <= 0) {
      meanAtLeast = mean;
      return false;
    }
    excess += (value - mean) / deviation - tolerance;
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
    excess = in.getDouble();
    leastExcess = in.getDouble();
    meanAtLeast = in.getDouble();
    recent = in.getDouble();
    before = in.getDouble();
  }
}
