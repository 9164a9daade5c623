package io.idlalayer.modelcontroller.quality;

import java.util.List;
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

  /** Most classes whose quality is reported one by one. */
  public static final int MOST_CLASSES = 32;

  /**
   * The quality of predicted classes. Accuracies are shares of the scored samples, 0 to 1.
   *
   * @param logLoss mean log loss, in nats
   * @param recentAccuracy accuracy on the last 1,000 scored samples
   * @param noChangeAccuracy accuracy of predicting the previous label
   * @param majorityAccuracy accuracy of predicting the most frequent label so far
   * @param recentNoChangeAccuracy {@code noChangeAccuracy} on the samples of {@code recentAccuracy}
   * @param recentMajorityAccuracy {@code majorityAccuracy} on the samples of {@code recentAccuracy}
   * @param byClass quality of each class, in the order of the application file; with more than
   *     {@link #MOST_CLASSES} classes, of those that were most frequent among the last 1,000
   *     samples
   */
  public record Classification(
      double logLoss,
      double accuracy,
      double recentAccuracy,
      double noChangeAccuracy,
      double majorityAccuracy,
      double recentNoChangeAccuracy,
      double recentMajorityAccuracy,
      List<ClassQuality> byClass) {
    public Classification {
      // Who wrote it may have known no classes.
      byClass = byClass == null ? List.of() : List.copyOf(byClass);
    }

    /** exp(logLoss), at least 1 unless the loss is negative. */
    public double perplexity() {
      return Math.exp(logLoss);
    }
  }

  /**
   * The prediction quality of one class: {@code correct / samples} is its recall, {@code correct /
   * predicted} its precision.
   *
   * @param samples number of scored samples of this class
   * @param predicted number of scored samples for which this class was predicted
   * @param correct number of samples of this class for which it was predicted
   * @param recentSamples {@code samples} among the last 1,000 scored samples of all classes
   */
  public record ClassQuality(
      String name,
      long samples,
      long predicted,
      long correct,
      long recentSamples,
      long recentPredicted,
      long recentCorrect) {
    /** Returns the sum of both learners' counts. */
    public ClassQuality plus(ClassQuality other) {
      return new ClassQuality(
          name,
          samples + other.samples,
          predicted + other.predicted,
          correct + other.correct,
          recentSamples + other.recentSamples,
          recentPredicted + other.recentPredicted,
          recentCorrect + other.recentCorrect);
    }
  }

  /**
   * The quality of predicted targets, in units of the label.
   *
   * @param noChangeMeanAbsoluteError error of predicting the previous label
   */
  public record Regression(
      double meanAbsoluteError, double rootMeanSquaredError, double noChangeMeanAbsoluteError) {}
}
