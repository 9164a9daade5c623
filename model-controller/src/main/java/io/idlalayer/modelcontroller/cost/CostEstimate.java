package io.idlalayer.modelcontroller.cost;

/**
 * Predicted duration of one training: {@code secondsPerSample * n + fixedSeconds}.
 *
 * @param secondsPerSample lambda, at least 0
 * @param fixedSeconds epsilon, above 0
 * @param fixedSecondsLow lower end of the 95 % interval of epsilon, at least 0
 * @param fixedSecondsHigh upper end
 * @param observations trainings the estimate rests on; 0 means prior only
 * @param spread how sure it is
 */
public record CostEstimate(
    double secondsPerSample,
    double fixedSeconds,
    double fixedSecondsLow,
    double fixedSecondsHigh,
    int observations,
    Spread spread) {
  private static final double NORMAL_95 = 1.96;

  /**
   * Uncertainty of an estimate.
   *
   * @param noise standard deviation of a duration's relative error
   * @param ofFixed variance of epsilon, in units of noise squared
   * @param ofBoth covariance of epsilon and lambda
   * @param ofEach variance of lambda
   */
  public record Spread(double noise, double ofFixed, double ofBoth, double ofEach) {}

  /** Predicted seconds of a training on {@code samples} rows, new and replayed alike. */
  public double seconds(double samples) {
    return secondsPerSample * samples + fixedSeconds;
  }

  /** Lower end of the 95 % interval of the next duration, at least 0. */
  public double secondsLow(double samples) {
    return Math.max(0, seconds(samples) - halfWidth(samples));
  }

  /** Upper end of the 95 % interval of the next duration. */
  public double secondsHigh(double samples) {
    return seconds(samples) + halfWidth(samples);
  }

  /** What the estimate does not know and what no estimate can know. */
  private double halfWidth(double s) {
    double ofEstimate = spread.ofFixed + 2 * s * spread.ofBoth + s * s * spread.ofEach;
    double p = seconds(s);
    return NORMAL_95 * spread.noise * Math.sqrt(Math.max(0, ofEstimate) + p * p);
  }

  /**
   * The fixed part that a decision should charge: the lower end while epsilon is uncertain
   * (relative half width above 50 %), because underestimating is far cheaper (update-timing section
   * 6).
   */
  public double fixedSecondsForDecision() {
    double halfWidth = (fixedSecondsHigh - fixedSecondsLow) / 2;
    return halfWidth > 0.5 * fixedSeconds ? fixedSecondsLow : fixedSeconds;
  }
}
