package io.idlalayer.modelcontroller.cost;

/**
 * Predicted duration of one training: {@code secondsPerSample * n + fixedSeconds}.
 *
 * @param secondsPerSample lambda, at least 0
 * @param fixedSeconds epsilon, above 0
 * @param fixedSecondsLow lower end of the 95 % interval of epsilon, at least 0
 * @param fixedSecondsHigh upper end
 * @param observations trainings the estimate rests on; 0 means prior only
 */
public record CostEstimate(
    double secondsPerSample,
    double fixedSeconds,
    double fixedSecondsLow,
    double fixedSecondsHigh,
    int observations) {

  /** Predicted seconds of a training on {@code samples} rows, new and replayed alike. */
  public double seconds(double samples) {
    return secondsPerSample * samples + fixedSeconds;
  }

  /** Lower end of the 95 % interval of {@link #seconds}. */
  public double secondsLow(double samples) {
    return secondsPerSample * samples + fixedSecondsLow;
  }

  /** Upper end of the 95 % interval of {@link #seconds}. */
  public double secondsHigh(double samples) {
    return secondsPerSample * samples + fixedSecondsHigh;
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
