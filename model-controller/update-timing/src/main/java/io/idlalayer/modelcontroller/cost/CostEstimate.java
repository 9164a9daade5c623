package io.idlalayer.modelcontroller.cost;

/**
 * The predicted duration of one training: {@code secondsPerSample * samples + fixed.mean()}.
 *
 * @param secondsPerSample lambda, at least 0
 * @param fixed epsilon: seconds of a training that do not depend on its size; mean and upper end
 *     are above 0, the lower end is at least 0
 * @param observations number of trainings from which the estimate was learned; 0 if the estimate is
 *     only the prior
 * @param uncertainty joint uncertainty of the two coefficients
 */
public record CostEstimate(
    double secondsPerSample, PredictedSeconds fixed, int observations, Uncertainty uncertainty) {
  /**
   * Number of standard deviations on each side of the mean that enclose 95 % of a normal
   * distribution.
   */
  static final double NORMAL_95 = 1.96;

  /**
   * Epsilon, the fixed seconds of a training, counts as uncertain if half the width of its
   * confidence interval is more than this share of epsilon. A measurement showed that an estimate 4
   * times too low costs less than an estimate 2 times too high.
   */
  private static final double UNCERTAIN_SHARE = 0.5;

  /**
   * The joint uncertainty of the two coefficients of a training's duration: epsilon, its fixed
   * seconds, and lambda, its seconds per sample.
   *
   * @param noise standard deviation of a duration's relative error
   * @param fixedVariance variance of epsilon
   * @param covariance covariance of epsilon and lambda
   * @param perSampleVariance variance of lambda
   */
  public record Uncertainty(
      double noise, double fixedVariance, double covariance, double perSampleVariance) {}

  /** Returns the mean of epsilon: the seconds of a training that do not depend on its size. */
  public double fixedSeconds() {
    return fixed.mean();
  }

  /**
   * Returns the predicted seconds of a training on {@code samples} rows, new and replayed rows
   * together.
   */
  public double seconds(double samples) {
    return secondsPerSample * samples + fixed.mean();
  }

  /** Predicts the duration of the next training, with its 95 % interval. */
  public PredictedSeconds predict(double samples) {
    double mean = seconds(samples);
    // Adds the uncertainty of the estimate and the noise of single trainings.
    double unknown =
        uncertainty.fixedVariance
            + 2 * samples * uncertainty.covariance
            + samples * samples * uncertainty.perSampleVariance;
    double halfWidth =
        NORMAL_95 * uncertainty.noise * Math.sqrt(Math.max(0, unknown) + mean * mean);
    return new PredictedSeconds(Math.max(0, mean - halfWidth), mean, mean + halfWidth);
  }

  /**
   * Returns the fixed seconds of a training that update rules use for decisions: the mean of
   * epsilon or, while epsilon is uncertain, the lower end of the interval of epsilon. An estimate
   * that is too low costs far less than one that is too high.
   */
  public double fixedSecondsForDecision() {
    double halfWidth = (fixed.high() - fixed.low()) / 2;
    return halfWidth > UNCERTAIN_SHARE * fixed.mean() ? fixed.low() : fixed.mean();
  }
}
