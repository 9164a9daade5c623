package io.idlalayer.modelcontroller.cost;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Learns {@code p = eps + lambda * s}: the seconds of a training on {@code s} rows. Recursive least
 * squares on relative errors with forgetting, Huber weights against outliers and change detection
 * (update-timing, section 6). Not thread-safe.
 *
 * <p>The first {@link #WARM_UP} trainings of a process run while the JVM compiles; they count with
 * a tenth of the weight, so that they give a first idea of the scale and are soon forgotten.
 */
public final class TrainingCostModel {
  static final double FORGETTING = 0.95;
  static final double HUBER = 1.5;
  static final int WINDOW = 15;
  static final int WARM_UP = 2;
  static final double PRIOR_FIXED_SECONDS = 0.1;

  private static final byte VERSION = 1;
  private static final double SIGMA_FLOOR = 0.03;
  private static final double MAD_TO_SIGMA = 1.4826;
  private static final double FAR_OUT = 6;
  private static final double CHANGE = 2.5;
  private static final int CHANGE_RUN = 4;
  private static final double VARIANCE_CAP = 1e6;
  private static final double PRIOR_VARIANCE = 1.0;
  private static final double PRIOR_SPREAD = 100;
  private static final double FIXED_SHARE_FLOOR = 0.05;
  private static final double NORMAL_95 = 1.96;

  private double fixed = PRIOR_FIXED_SECONDS;
  private double perSample;
  // Covariance of (fixed, perSample), symmetric.
  private double p00 = PRIOR_VARIANCE;
  private double p01;
  private double p11 = PRIOR_VARIANCE * 1e-4;

  private final double[] residuals = new double[WINDOW];
  private int residualCount;
  private int observations;
  private int sinceStart;
  private double meanSeconds;
  private int changeRun;

  /**
   * Takes a successful training into account.
   *
   * @param samples rows trained, new and replayed, at least 1
   * @param seconds its duration by a monotonic clock, above 0
   */
  public void observe(int samples, double seconds) {
    if (samples < 1 || !(seconds > 0) || Double.isInfinite(seconds)) {
      throw new IllegalArgumentException(
          "a training of %d samples in %s s cannot be observed".formatted(samples, seconds));
    }
    boolean warmUp = sinceStart < WARM_UP;
    sinceStart++;
    observations++;
    if (observations == 1) {
      // The prior knows nothing of the scale: without this, slow machines stay at it for long.
      p00 = Math.max(p00, cap(PRIOR_SPREAD * seconds * seconds));
      double each = seconds / samples;
      p11 = Math.max(p11, cap(PRIOR_SPREAD * each * each));
    }
    meanSeconds = observations == 1 ? seconds : 0.9 * meanSeconds + 0.1 * seconds;
    double predicted = Math.max(estimate().seconds(samples), 1e-6);
    // Relative to the observation while the model knows nothing, else to the prediction.
    double scale = observations <= WARM_UP + 2 ? seconds : predicted;
    double relative = (seconds - (fixed + perSample * samples)) / scale;
    double weight = warmUp ? 0.1 : robustWeight(relative);
    update(samples, seconds, scale, weight);
    if (!warmUp) {
      residuals[residualCount++ % WINDOW] = Math.abs(relative);
    }
  }

  private double robustWeight(double relative) {
    if (residualCount < 3) {
      return 1;
    }
    double sigma = sigma();
    double distance = Math.abs(relative) / sigma;
    if (distance > CHANGE) {
      changeRun = relative > 0 ? Math.max(1, changeRun + 1) : Math.min(-1, changeRun - 1);
    } else {
      changeRun = 0;
    }
    if (Math.abs(changeRun) >= CHANGE_RUN) {
      // Not noise any more: the machine or the model changed. Forget and follow.
      changeRun = 0;
      residualCount = 0;
      p00 = Math.max(p00, PRIOR_VARIANCE * Math.max(1, fixed * fixed));
      p11 = Math.max(p11, PRIOR_VARIANCE * 1e-4);
      return 1;
    }
    double huber = Math.min(1, HUBER / Math.max(distance, 1e-12));
    return distance > FAR_OUT ? 0.1 * huber : huber;
  }

  /** Robust standard deviation of the relative errors. */
  private double sigma() {
    int count = Math.min(residualCount, WINDOW);
    double[] sorted = Arrays.copyOf(residuals, count);
    Arrays.sort(sorted);
    return Math.max(SIGMA_FLOOR, MAD_TO_SIGMA * sorted[count / 2]);
  }

  private void update(int samples, double seconds, double scale, double weight) {
    double x0 = 1 / scale;
    double x1 = samples / scale;
    double y = seconds / scale;
    double v0 = p00 * x0 + p01 * x1;
    double v1 = p01 * x0 + p11 * x1;
    double denominator = FORGETTING / weight + x0 * v0 + x1 * v1;
    double k0 = v0 / denominator;
    double k1 = v1 / denominator;
    double error = y - (fixed * x0 + perSample * x1);
    fixed += k0 * error;
    perSample += k1 * error;
    p00 = cap((p00 - k0 * v0) / FORGETTING);
    p01 = (p01 - k0 * v1) / FORGETTING;
    p11 = cap((p11 - k1 * v1) / FORGETTING);
    double most = Math.sqrt(p00 * p11) * 0.999999;
    p01 = Math.max(-most, Math.min(most, p01));
    project(samples, seconds);
  }

  private static double cap(double variance) {
    return Math.max(1e-15, Math.min(VARIANCE_CAP, variance));
  }

  /** Keeps lambda >= 0 and eps > 0 without moving the prediction at this size. */
  private void project(int samples, double seconds) {
    double at = fixed + perSample * samples;
    double floor = FIXED_SHARE_FLOOR * (meanSeconds > 0 ? meanSeconds : seconds);
    if (perSample < 0) {
      perSample = 0;
      fixed = Math.max(at, floor);
    }
    if (fixed < floor) {
      fixed = floor;
      perSample = Math.max(0, (at - floor) / samples);
    }
  }

  /** The present estimate; the prior (lambda 0, eps 0.1 s) before any observation. */
  public CostEstimate estimate() {
    double sigma = residualCount < 3 ? 0.5 : sigma();
    double halfWidth = NORMAL_95 * Math.sqrt(sigma * sigma * p00);
    double low = Math.max(FIXED_SHARE_FLOOR * (meanSeconds > 0 ? meanSeconds : fixed), 0);
    return new CostEstimate(
        perSample,
        fixed,
        Math.min(fixed, Math.max(low, fixed - halfWidth)),
        fixed + halfWidth,
        observations,
        new CostEstimate.Spread(sigma, p00, p01, p11));
  }

  /** Everything learned, to be given to {@link #restore}. */
  public byte[] snapshot() {
    ByteBuffer out = ByteBuffer.allocate(1 + 8 * 6 + 4 * 3 + 8 * WINDOW);
    out.put(VERSION).putDouble(fixed).putDouble(perSample);
    out.putDouble(p00).putDouble(p01).putDouble(p11).putDouble(meanSeconds);
    out.putInt(observations).putInt(residualCount).putInt(changeRun);
    for (double residual : residuals) {
      out.putDouble(residual);
    }
    return out.array();
  }

  /** Takes a snapshot back; the process warms up again. */
  public static TrainingCostModel restore(byte[] snapshot) {
    ByteBuffer in = ByteBuffer.wrap(snapshot);
    byte version = in.get();
    if (version != VERSION) {
      throw new IllegalArgumentException(
          "cost model snapshot has version %d, this program reads %d".formatted(version, VERSION));
    }
    TrainingCostModel model = new TrainingCostModel();
    model.fixed = in.getDouble();
    model.perSample = in.getDouble();
    model.p00 = in.getDouble();
    model.p01 = in.getDouble();
    model.p11 = in.getDouble();
    model.meanSeconds = in.getDouble();
    model.observations = in.getInt();
    model.residualCount = in.getInt();
    model.changeRun = in.getInt();
    for (int i = 0; i < WINDOW; i++) {
      model.residuals[i] = in.getDouble();
    }
    return model;
  }
}
