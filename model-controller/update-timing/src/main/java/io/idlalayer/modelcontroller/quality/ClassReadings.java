package io.idlalayer.modelcontroller.quality;

import static io.idlalayer.modelcontroller.quality.QualityReading.NO_CHANGE;
import static io.idlalayer.modelcontroller.quality.QualityReading.higher;
import static io.idlalayer.modelcontroller.quality.QualityReading.lower;

import io.idlalayer.modelcontroller.quality.PrequentialSummary.Classification;
import io.idlalayer.modelcontroller.quality.QualityReading.Rule;
import io.idlalayer.modelcontroller.quality.metrics.ClassMetrics;
import io.idlalayer.modelcontroller.quality.metrics.LabelMetrics;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads metrics of classes.
 *
 * @param metrics all metrics except accuracies and log loss; null if they are unknown
 */
record ClassReadings(
    double accuracy,
    double noChangeAccuracy,
    double majorityAccuracy,
    double logLoss,
    @Nullable ClassMetrics metrics) {
  private static final String MAJORITY = "always the most frequent class";

  static ClassReadings all(Classification classes) {
    return new ClassReadings(
        classes.accuracy(),
        classes.noChangeAccuracy(),
        classes.majorityAccuracy(),
        classes.logLoss(),
        classes.metrics());
  }

  static ClassReadings recent(Classification classes) {
    return new ClassReadings(
        classes.recentAccuracy(),
        classes.recentNoChangeAccuracy(),
        classes.recentMajorityAccuracy(),
        classes.recentLogLoss(),
        classes.recent());
  }

  Optional<QualityReading> read(QualityMetric metric) {
    return switch (metric) {
      // A kappa is below 0 if the accuracy of the model is below the accuracy of the reference.
      case ACCURACY, KAPPA_M, KAPPA_TEMPORAL ->
          higher(
              "accuracy",
              accuracy,
              new Rule(MAJORITY, majorityAccuracy),
              new Rule(NO_CHANGE, noChangeAccuracy));
      case BALANCED_ACCURACY -> labels("balanced accuracy", LabelMetrics::balancedAccuracy);
      case F1 -> labels("F1", LabelMetrics::f1);
      case POSITIVE_F1 -> labels("F1 of the second class", LabelMetrics::positiveF1);
      case KAPPA -> labels("kappa", LabelMetrics::kappa);
      case LOG_LOSS -> lower("log loss", logLoss, baseRate(ClassMetrics::baseRateLogLoss));
      case NORMALIZED_ENTROPY ->
          lower("normalized entropy", of(ClassMetrics::normalizedEntropy), baseRate(known -> 1.0));
      case AUC -> higher("AUC", of(ClassMetrics::auc), new Rule("chance", 0.5));
      case MAE, RMSE, R2, MASE, QUANTILE_LOSS_10, QUANTILE_LOSS_90, QUANTILE_LOSS ->
          Optional.empty();
    };
  }

  private Optional<QualityReading> labels(
      String measure, Function<LabelMetrics, @Nullable Double> value) {
    return higher(
        measure,
        of(known -> value.apply(known.model())),
        new Rule(MAJORITY, of(known -> value.apply(known.majority()))),
        new Rule(NO_CHANGE, of(known -> value.apply(known.noChange()))));
  }

  private Rule baseRate(Function<ClassMetrics, @Nullable Double> value) {
    return new Rule("the base rate", of(value));
  }

  private @Nullable Double of(Function<ClassMetrics, @Nullable Double> value) {
    return metrics == null ? null : value.apply(metrics);
  }
}
