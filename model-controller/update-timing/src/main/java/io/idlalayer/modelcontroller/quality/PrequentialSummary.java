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

  /** Of so many classes it is told how well each was predicted. */
  public static final int MOST_CLASSES = 32;

  /**
   * How well classes were predicted. Accuracies are shares of the scored samples, 0 to 1.
   *
   * @param logLoss mean, in nats
   * @param recentAccuracy accuracy on the last 1,000 scored samples
   * @param noChangeAccuracy of predicting the label before
   * @param majorityAccuracy of predicting the most frequent label so far
   * @param recentNoChangeAccuracy the first reference line on the samples of {@code recentAccuracy}
   * @param recentMajorityAccuracy the second one on them
   * @param byClass in the order of the application file; of more than {@link #MOST_CLASSES} classes
   *     those that came most among the last 1,000 samples
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
   * How well one class was predicted: {@code correct / samples} is its recall, {@code correct /
   * predicted} its precision.
   *
   * @param samples scored ones of this class
   * @param predicted scored samples of which this class was predicted
   * @param correct samples of this class of which it was predicted
   * @param recentSamples likewise, among the last 1,000 scored samples of all classes
   */
  public record ClassQuality(
      String name,
      long samples,
      long predicted,
      long correct,
      long recentSamples,
      long recentPredicted,
      long recentCorrect) {
    /** Of two learners. */
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
   * How well targets were predicted, in units of the label.
   *
   * @param noChangeMeanAbsoluteError of predicting the label before
   */
  public record Regression(
      double meanAbsoluteError, double rootMeanSquaredError, double noChangeMeanAbsoluteError) {}
}
