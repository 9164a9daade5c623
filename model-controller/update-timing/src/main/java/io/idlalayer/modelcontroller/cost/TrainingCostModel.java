package io.idlalayer.modelcontroller.cost;

import io.idlalayer.middleware.state.StateFormat;
import io.idlalayer.middleware.state.StateReader;
import io.idlalayer.modelcontroller.cost.CostEstimate.Uncertainty;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Learns the duration of trainings in seconds, {@code p = eps + lambda * s} with the number s of
 * rows, by recursive least squares with exponential forgetting (Ljung 1999). Errors are taken
 * relative to the predicted duration, because the durations of long trainings vary by more seconds
 * than the durations of short trainings. Outliers get Huber weights (Huber 1964), and a run of
 * errors in one direction counts as a change of the machine or of the model. Not thread-safe.
 *
 * <p>The first {@link #WARM_UP} trainings of a process run while the JVM compiles. These trainings
 * count with a tenth of the weight, so that the model learns the order of magnitude from them and
 * soon forgets them. If the caller gives the model the duration of an earlier training, the model
 * knows the order of magnitude from the start.
 */
public final class TrainingCostModel {
  /**
   * Factor by which each new training reduces the weight of all earlier trainings, so that the
   * model remembers about twenty trainings.
   */
  static final double FORGETTING = 0.95;

  /** Relative errors beyond this many standard deviations get less weight (Huber's constant). */
  static final double HUBER = 1.5;

  /** Number of latest relative errors from which the standard deviation is estimated. */
  static final int WINDOW = 15;

  static final int WARM_UP = 2;
  static final double WARM_UP_WEIGHT = 0.1;

  /**
   * Prior of epsilon, in seconds. The prior is low on purpose: a prior 5 times too low raises no
   * costs, and a prior 5 times too high raises the costs of updates by a few percent.
   */
  private static final double PRIOR_FIXED_SECONDS = 0.1;

  /** Least number of relative errors from which their standard deviation is estimated. */
  private static final int LEAST_RESIDUALS = 3;

  /** Standard deviation of the relative errors that is assumed until enough errors are known. */
  private static final double SIGMA_UNKNOWN = 0.5;

  /**
   * Lower bound of the estimated noise. After a few equal errors the estimate would be near 0, but
   * no machine is so regular.
   */
  private static final double SIGMA_FLOOR = 0.03;

  /**
   * Factor that converts the median absolute deviation of a normal distribution to its standard
   * deviation.
   */
  private static final double MAD_TO_SIGMA = 1.4826;

  /**
   * Number of standard deviations beyond which an error is an outlier, which gets a tenth of its
   * Huber weight.
   */
  private static final double OUTLIER_SIGMAS = 6;

  private static final double OUTLIER_WEIGHT = 0.1;

  /**
   * Number of successive errors that count as a change, if each is more than {@code CHANGE_SIGMAS}
   * standard deviations to the same side.
   */
  private static final int CHANGE_RUN = 4;

  private static final double CHANGE_SIGMAS = 2.5;

  /**
   * Largest variance of a coefficient. This bound and {@link #CORRELATION_CAP} keep the filter from
   * becoming degenerate on any input.
   */
  private static final double VARIANCE_CAP = 1e6;

  private static final double VARIANCE_FLOOR = 1e-15;

  /** The largest correlation of the coefficients, just below 1. */
  private static final double CORRELATION_CAP = 0.999999;

  private static final double PRIOR_VARIANCE = 1.0;
  private static final double PRIOR_PER_SAMPLE_VARIANCE = PRIOR_VARIANCE * 1e-4;

  /**
   * Variance of a coefficient after the first measurement, in squares of the measured duration. The
   * variance is large, because the prior does not know the order of magnitude.
   */
  private static final double PRIOR_SPREAD = 100;

  /** Lower bound of epsilon, as a share of the mean duration. */
  private static final double FIXED_SHARE_FLOOR = 0.05;

  /** Weight of the latest training in the running mean of the durations. */
  private static final double MEAN_GAIN = 0.1;

  private static final double SHORTEST_PREDICTION_SECONDS = 1e-6;

  private static final StateFormat FORMAT = StateFormat.first("training cost");

  private double fixed = PRIOR_FIXED_SECONDS;
  private double perSample;

  // Covariance of (fixed, perSample); the matrix is symmetric.
  private double fixedVariance = PRIOR_VARIANCE;
  private double covariance;
  private double perSampleVariance = PRIOR_PER_SAMPLE_VARIANCE;

  private final double[] residuals = new double[WINDOW];
  private int residualCount;
  private int observations;
  private int sinceStart;
  private double meanSeconds;
  private int changeRun;
  private boolean scaleKnown;

  /** Creates a model without any observation. */
  public TrainingCostModel() {}

  /**
   * Returns a model that begins with the measured duration of an earlier, similar training.
   *
   * @param before the earlier training; null if none was measured
   */
  public static TrainingCostModel startingFrom(@Nullable MeasuredTraining before) {
    TrainingCostModel model = new TrainingCostModel();
    if (before != null) {
      // It is unknown how much of the duration depends on the rows, so both guesses are low.
      model.fixed = Math.min(PRIOR_FIXED_SECONDS, before.seconds());
      model.spread(before.seconds(), before.seconds() / before.rows());
      model.scaleKnown = true;
    }
    return model;
  }

  /** Sets the variances of the two coefficients when only their magnitudes are known. */
  private void spread(double fixedSize, double perSampleSize) {
    fixedVariance = capped(PRIOR_SPREAD * fixedSize * fixedSize);
    perSampleVariance = capped(PRIOR_SPREAD * perSampleSize * perSampleSize);
  }

  /**
   * Updates the estimate with a successful training.
   *
   * @param samples rows trained, new and replayed, at least 1
   * @param seconds its duration by a monotonic clock, above 0
   */
  public void observe(int samples, double seconds) {
    if (samples < 1 || !(seconds > 0) || Double.isInfinite(seconds)) {
      throw new IllegalArgumentException(
          "a training cannot have %d samples and take %s s: both must be above 0"
              .formatted(samples, seconds));
    }
    boolean warmUp = sinceStart < WARM_UP;
    sinceStart++;
    observations++;
    if (observations == 1 && !scaleKnown) {
      // On a slow machine the prior can be far too low, and would be corrected only slowly.
      fixedVariance = Math.max(fixedVariance, capped(PRIOR_SPREAD * seconds * seconds));
      double each = seconds / samples;
      perSampleVariance = Math.max(perSampleVariance, capped(PRIOR_SPREAD * each * each));
    }
    meanSeconds = observations == 1 ? seconds : (1 - MEAN_GAIN) * meanSeconds + MEAN_GAIN * seconds;
    double predicted = Math.max(estimate().seconds(samples), SHORTEST_PREDICTION_SECONDS);
    // The error is relative to the observation while the model knows nothing, and to the prediction
    // later.
    double scale = observations <= WARM_UP + 2 ? seconds : predicted;
    double relative = (seconds - (fixed + perSample * samples)) / scale;
    double weight = warmUp ? WARM_UP_WEIGHT : robustWeight(relative);
    update(samples, seconds, scale, weight);
    if (!warmUp) {
      residuals[residualCount++ % WINDOW] = Math.abs(relative);
    }
  }

  private double robustWeight(double relative) {
    if (residualCount < LEAST_RESIDUALS) {
      return 1;
    }
    double sigma = sigma();
    double distance = Math.abs(relative) / sigma;
    if (distance > CHANGE_SIGMAS) {
      changeRun = relative > 0 ? Math.max(1, changeRun + 1) : Math.min(-1, changeRun - 1);
    } else {
      changeRun = 0;
    }
    if (Math.abs(changeRun) >= CHANGE_RUN) {
      // A run of such errors is not noise: the machine or the model has changed, so the estimate
      // starts over.
      changeRun = 0;
      residualCount = 0;
      fixedVariance = Math.max(fixedVariance, PRIOR_VARIANCE * Math.max(1, fixed * fixed));
      perSampleVariance = Math.max(perSampleVariance, PRIOR_PER_SAMPLE_VARIANCE);
      return 1;
    }
    double huber = Math.min(1, HUBER / Math.max(distance, 1e-12));
    return distance > OUTLIER_SIGMAS ? OUTLIER_WEIGHT * huber : huber;
  }

  /** Returns a robust estimate of the standard deviation of the relative errors. */
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
    double v0 = fixedVariance * x0 + covariance * x1;
    double v1 = covariance * x0 + perSampleVariance * x1;
    double denominator = FORGETTING / weight + x0 * v0 + x1 * v1;
    double k0 = v0 / denominator;
    double k1 = v1 / denominator;
    double error = y - (fixed * x0 + perSample * x1);
    fixed += k0 * error;
    perSample += k1 * error;
    fixedVariance = capped((fixedVariance - k0 * v0) / FORGETTING);
    covariance = (covariance - k0 * v1) / FORGETTING;
    perSampleVariance = capped((perSampleVariance - k1 * v1) / FORGETTING);
    double most = Math.sqrt(fixedVariance * perSampleVariance) * CORRELATION_CAP;
    covariance = Math.max(-most, Math.min(most, covariance));
    project(samples, seconds);
  }

  private static double capped(double variance) {
    return Math.max(VARIANCE_FLOOR, Math.min(VARIANCE_CAP, variance));
  }

  /**
   * Corrects the coefficients to lambda >= 0 and eps > 0 without changing the predicted duration of
   * a training on this number of samples.
   */
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

  /**
   * Returns the present estimate. Before the first observation, this is the estimate from the
   * earlier training. Without an earlier training, it is 0.1 s for a training of any size.
   */
  public CostEstimate estimate() {
    double sigma = residualCount < LEAST_RESIDUALS ? SIGMA_UNKNOWN : sigma();
    double halfWidth = CostEstimate.NORMAL_95 * Math.sqrt(sigma * sigma * fixedVariance);
    double least = Math.max(FIXED_SHARE_FLOOR * (meanSeconds > 0 ? meanSeconds : fixed), 0);
    return new CostEstimate(
        perSample,
        new PredictedSeconds(
            Math.min(fixed, Math.max(least, fixed - halfWidth)), fixed, fixed + halfWidth),
        observations,
        new Uncertainty(sigma, fixedVariance, covariance, perSampleVariance));
  }

  /** Returns the whole learned state as bytes for {@link #restore}. */
  public byte[] snapshot() {
    return FORMAT
        .writer()
        .putDouble(1, fixed)
        .putDouble(2, perSample)
        .putDouble(3, fixedVariance)
        .putDouble(4, covariance)
        .putDouble(5, perSampleVariance)
        .putDouble(6, meanSeconds)
        .putInt(7, observations)
        .putInt(8, residualCount)
        .putInt(9, changeRun)
        .putDoubles(10, residuals)
        .bytes();
  }

  /**
   * Returns a model with the state of a snapshot; its next trainings count as the warm-up of a new
   * process.
   *
   * @throws io.idlalayer.middleware.state.UnreadableStateException if the bytes are not a snapshot
   *     of this class
   */
  public static TrainingCostModel restore(byte[] snapshot) {
    StateReader in = FORMAT.reader(snapshot);
    TrainingCostModel model = new TrainingCostModel();
    model.fixed = in.getDouble(1);
    model.perSample = in.getDouble(2);
    model.fixedVariance = in.getDouble(3);
    model.covariance = in.getDouble(4);
    model.perSampleVariance = in.getDouble(5);
    model.meanSeconds = in.getDouble(6);
    model.observations = in.getInt(7);
    model.residualCount = in.getInt(8);
    model.changeRun = in.getInt(9);
    System.arraycopy(in.getDoubles(10, WINDOW), 0, model.residuals, 0, WINDOW);
    return model;
  }
}
