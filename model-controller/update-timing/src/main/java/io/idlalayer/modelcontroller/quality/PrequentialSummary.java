package io.idlalayer.modelcontroller.quality;

import io.idlalayer.modelcontroller.quality.metrics.CalibrationBin;
import io.idlalayer.modelcontroller.quality.metrics.ClassMetrics;
import io.idlalayer.modelcontroller.quality.metrics.TargetMetrics;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Test-then-train quality since the stream began. Either the part for classes or the part for
 * targets is null, depending on the task; both are null until the first sample is scored.
 *
 * @param scored samples scored before they were trained
 * @param unscored samples that the scorer did not score for lack of time or because of a failure,
 *     and targets without a finite prediction
 */
public record PrequentialSummary(
    long scored,
    long unscored,
    @Nullable Classification classification,
    @Nullable Regression regression) {

  /** Number of last scored samples from which the recent metrics are computed. */
  public static final int WINDOW = 1_000;

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
   *     {@link #MOST_CLASSES} classes, only the classes that were most frequent among the last
   *     1,000 samples
   * @param recentLogLoss {@code logLoss} on the samples of {@code recentAccuracy}
   * @param metrics further metrics; null if the version that wrote the summary had no further
   *     metrics
   * @param recent {@code metrics} on the samples of {@code recentAccuracy}
   * @param calibration calibration curve, by rising probability; empty if no probability is known
   */
  public record Classification(
      double logLoss,
      double accuracy,
      double recentAccuracy,
      double noChangeAccuracy,
      double majorityAccuracy,
      double recentNoChangeAccuracy,
      double recentMajorityAccuracy,
      List<ClassQuality> byClass,
      double recentLogLoss,
      @Nullable ClassMetrics metrics,
      @Nullable ClassMetrics recent,
      List<CalibrationBin> calibration) {
    public Classification {
      // An earlier version that wrote the summary possibly wrote no classes and no curve.
      byClass = byClass == null ? List.of() : List.copyOf(byClass);
      calibration = calibration == null ? List.of() : List.copyOf(calibration);
    }

    /** Creates the quality of a model without further metrics. */
    public Classification(
        double logLoss,
        double accuracy,
        double recentAccuracy,
        double noChangeAccuracy,
        double majorityAccuracy,
        double recentNoChangeAccuracy,
        double recentMajorityAccuracy,
        List<ClassQuality> byClass) {
      this(
          logLoss,
          accuracy,
          recentAccuracy,
          noChangeAccuracy,
          majorityAccuracy,
          recentNoChangeAccuracy,
          recentMajorityAccuracy,
          byClass,
          logLoss,
          null,
          null,
          List.of());
    }

    /** Returns exp(logLoss), which is at least 1 unless the loss is negative. */
    public double perplexity() {
      return Math.exp(logLoss);
    }
  }

  /**
   * The prediction quality of one class: its recall is {@code correct / samples}, and its precision
   * is {@code correct / predicted}.
   *
   * @param samples number of scored samples of this class
   * @param predicted number of scored samples for which this class was predicted
   * @param correct number of samples of this class for which this class was predicted
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
    /** Returns the sum of these counts and the counts of another learner. */
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
   * @param recentMeanAbsoluteError {@code meanAbsoluteError} on the last 1,000 scored samples
   * @param recentRootMeanSquaredError {@code rootMeanSquaredError} on the last 1,000 scored samples
   * @param recentNoChangeMeanAbsoluteError {@code noChangeMeanAbsoluteError} on the last 1,000
   *     scored samples
   * @param metrics further metrics; null if the version that wrote the summary had no further
   *     metrics
   * @param recent {@code metrics} on the last 1,000 scored samples
   */
  public record Regression(
      double meanAbsoluteError,
      double rootMeanSquaredError,
      double noChangeMeanAbsoluteError,
      double recentMeanAbsoluteError,
      double recentRootMeanSquaredError,
      double recentNoChangeMeanAbsoluteError,
      @Nullable TargetMetrics metrics,
      @Nullable TargetMetrics recent) {
    /** Creates the quality of a model without further metrics. */
    public Regression(
        double meanAbsoluteError, double rootMeanSquaredError, double noChangeMeanAbsoluteError) {
      this(
          meanAbsoluteError,
          rootMeanSquaredError,
          noChangeMeanAbsoluteError,
          meanAbsoluteError,
          rootMeanSquaredError,
          noChangeMeanAbsoluteError,
          null,
          null);
    }
  }
}
