package io.idlalayer.modelcontroller.evaluation;

import org.jspecify.annotations.Nullable;

/**
 * Test-then-train quality since the stream began. The part of the other task is null; both are null
 * until the first sample is scored.
 *
 * @param scored samples scored before they were trained
 * @param unscored samples the scorer had no time for or failed on, and targets without a finite
 *     prediction
 */
public record PrequentialSummary(
    long scored,
    long unscored,
    @Nullable Classification classification,
    @Nullable Regression regression) {

  /**
   * How well classes were predicted. Accuracies are shares of the scored samples, 0 to 1.
   *
   * @param logLoss mean, in nats
   * @param recentAccuracy accuracy on the last 1,000 scored samples
   * @param noChangeAccuracy of predicting the label before
   * @param majorityAccuracy of predicting the most frequent label so far
   */
  public record Classification(
      double logLoss,
      double accuracy,
      double recentAccuracy,
      double noChangeAccuracy,
      double majorityAccuracy) {
    /** exp(logLoss), at least 1 unless the loss is negative. */
    public double perplexity() {
      return Math.exp(logLoss);
    }
  }

  /**
   * How well targets were predicted, in units of the label.
   *
   * @param noChangeMeanAbsoluteError of predicting the label before
   */
  public record Regression(
      double meanAbsoluteError, double rootMeanSquaredError, double noChangeMeanAbsoluteError) {}
}
