package io.idlalayer.modelcontroller.cost;

/**
 * The predicted duration of one training: {@code secondsPerSample * samples + fixed.mean()}.
 *
 * @param secondsPerSample lambda, at least 0
 * @param fixed epsilon: seconds of a training that do not depend on its size; all above 0 but the
 *     lower end, which is at least 0
 * @param observations number of trainings that the estimate rests on; 0 means prior only
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
   * Largest share of epsilon, the fixed seconds of a training, that half the width of its
   * confidence interval may have before epsilon counts as uncertain (measured: an estimate 4 times
   * too low costs less than one 2 times too high).
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
   * Returns the predicted seconds of a training on {@code samples} rows, new and replayed ones
   * together.
   */
  public double seconds(double samples) {
    return secondsPerSample * samples + fixed.mean();
  }

  /** Predicts the duration of the next training, with its 95 % interval. */
  public PredictedSeconds predict(double samples) {
    double mean = seconds(samples);
    // The uncertainty of the estimate, and the noise that no estimate can remove.
    double unknown =
        uncertainty.fixedVariance
            + 2 * samples * uncertainty.covariance
            + samples * samples * uncertainty.perSampleVariance;
    double halfWidth =
        NORMAL_95 * uncertainty.noise * Math.sqrt(Math.max(0, unknown) + mean * mean);
    return new PredictedSeconds(Math.max(0, mean - halfWidth), mean, mean + halfWidth);
  }

  /**
   * Returns the fixed seconds of a training by which decisions are made: the mean of epsilon or,
   * while epsilon is uncertain, the lower end of its interval. An estimate that is too low costs
   * far less than one that is too high.
   */
  public double fixedSecondsForDecision() {
    double halfWidth = (fixed.high() - fixed.low()) / 2;
    return halfWidth > UNCERTAIN_SHARE * fixed.mean() ? fixed.low() : fixed.mean();
  }
}
