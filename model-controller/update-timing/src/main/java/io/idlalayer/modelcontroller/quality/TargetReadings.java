package io.idlalayer.modelcontroller.quality;

import static io.idlalayer.modelcontroller.quality.QualityReading.NO_CHANGE;
import static io.idlalayer.modelcontroller.quality.QualityReading.higher;
import static io.idlalayer.modelcontroller.quality.QualityReading.lower;

import io.idlalayer.modelcontroller.quality.PrequentialSummary.Regression;
import io.idlalayer.modelcontroller.quality.QualityReading.Rule;
import io.idlalayer.modelcontroller.quality.metrics.QuantileMetrics;
import io.idlalayer.modelcontroller.quality.metrics.TargetMetrics;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads metrics of targets.
 *
 * @param metrics all metrics except the mean errors; null if they are unknown
 */
record TargetReadings(
    double meanAbsoluteError,
    double rootMeanSquaredError,
    double noChangeMeanAbsoluteError,
    @Nullable TargetMetrics metrics) {
  private static final String MEAN = "always the mean";

  static TargetReadings all(Regression targets) {
    return new TargetReadings(
        targets.meanAbsoluteError(),
        targets.rootMeanSquaredError(),
        targets.noChangeMeanAbsoluteError(),
        targets.metrics());
  }

  static TargetReadings recent(Regression targets) {
    return new TargetReadings(
        targets.recentMeanAbsoluteError(),
        targets.recentRootMeanSquaredError(),
        targets.recentNoChangeMeanAbsoluteError(),
        targets.recent());
  }

  Optional<QualityReading> read(QualityMetric metric) {
    return switch (metric) {
      case MAE ->
          lower(
              "mean absolute error",
              meanAbsoluteError,
              new Rule(NO_CHANGE, noChangeMeanAbsoluteError));
      case MASE -> lower("MASE", of(TargetMetrics::mase), new Rule(NO_CHANGE, 1.0));
      case RMSE ->
          lower(
              "root mean squared error",
              rootMeanSquaredError,
              new Rule(MEAN, of(TargetMetrics::deviation)),
              new Rule(NO_CHANGE, of(TargetMetrics::noChangeRootMeanSquaredError)));
      case R2 ->
          higher(
              "R2",
              of(TargetMetrics::rSquared),
              new Rule(MEAN, 0.0),
              new Rule(NO_CHANGE, of(TargetReadings::explainedByNoChange)));
      case QUANTILE_LOSS_10 ->
          lower(
              "quantile loss of 0.1",
              of(TargetMetrics::quantileLoss10),
              new Rule(NO_CHANGE, of(TargetMetrics::noChangeQuantileLoss10)));
      case QUANTILE_LOSS_90 ->
          lower(
              "quantile loss of 0.9",
              of(TargetMetrics::quantileLoss90),
              new Rule(NO_CHANGE, of(TargetMetrics::noChangeQuantileLoss90)));
      case QUANTILE_LOSS -> ofQuantile();
      case ACCURACY,
          BALANCED_ACCURACY,
          F1,
          POSITIVE_F1,
          KAPPA,
          KAPPA_M,
          KAPPA_TEMPORAL,
          LOG_LOSS,
          NORMALIZED_ENTROPY,
          AUC ->
          Optional.empty();
    };
  }

  private Optional<QualityReading> ofQuantile() {
    QuantileMetrics quantile = metrics == null ? null : metrics.quantile();
    return quantile == null
        ? Optional.empty()
        : lower(
            "quantile loss of " + quantile.level(),
            quantile.loss(),
            new Rule(NO_CHANGE, quantile.noChangeLoss()));
  }

  private static @Nullable Double explainedByNoChange(TargetMetrics known) {
    double unexplained = known.noChangeRootMeanSquaredError() / known.deviation();
    return known.deviation() == 0 ? null : (Double) (1 - unexplained * unexplained);
  }

  private @Nullable Double of(Function<TargetMetrics, @Nullable Double> value) {
    return metrics == null ? null : value.apply(metrics);
  }
}
