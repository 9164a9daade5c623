package io.idlalayer.jobs.report;

import io.idlalayer.modelcontroller.quality.PrequentialSummary;
import io.idlalayer.modelcontroller.quality.PrequentialSummary.Classification;
import io.idlalayer.modelcontroller.quality.PrequentialSummary.Regression;
import io.idlalayer.modelcontroller.quality.QualityMetric;
import io.idlalayer.modelcontroller.quality.QualityReading;
import io.idlalayer.modelcontroller.quality.metrics.ClassMetrics;
import io.idlalayer.modelcontroller.quality.metrics.TargetMetrics;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Describes the quality of a model in words, for terminals. */
public final class QualityText {
  private static final Set<QualityMetric> BY_ACCURACY =
      Set.of(QualityMetric.ACCURACY, QualityMetric.KAPPA_M, QualityMetric.KAPPA_TEMPORAL);

  /** Below this size, the usual number of decimals would show too few digits. */
  private static final double FEW_DECIMALS = 0.001;

  /** Numbers of at least this size are written with an exponent. */
  private static final double MANY_DIGITS = 1e7;

  private QualityText() {}

  /**
   * Returns the value of the application's metric in a few words, on the last 1,000 events and on
   * all events.
   *
   * @param metric the application's metric; null if it is unknown
   */
  static String brief(PrequentialSummary quality, @Nullable QualityMetric metric) {
    QualityMetric asked = known(quality, metric);
    Optional<QualityReading> recent = QualityReading.recent(asked, quality);
    return QualityReading.all(asked, quality)
        .map(
            all ->
                all.measure()
                    + recent.map(late -> " " + brief(late.value()) + " of late,").orElse("")
                    + " "
                    + brief(all.value())
                    + " in all")
        .orElse(
            quality.scored() == 0
                ? "its quality is not known yet"
                : asked.key() + " is not defined yet");
  }

  private static QualityMetric known(PrequentialSummary quality, @Nullable QualityMetric metric) {
    if (metric != null) {
      return metric;
    }
    return quality.classification() == null ? QualityMetric.MAE : QualityMetric.ACCURACY;
  }

  /**
   * Returns the values of the application's metric for rules that need no model; "" while the
   * values are not defined.
   *
   * @param metric the application's metric; null if it is unknown
   */
  static String references(PrequentialSummary quality, @Nullable QualityMetric metric) {
    Classification classes = quality.classification();
    if (classes != null && BY_ACCURACY.contains(known(quality, metric))) {
      return String.format(
          Locale.ROOT,
          "repeating the last label %.3f, always the most frequent class %.3f",
          classes.noChangeAccuracy(),
          classes.majorityAccuracy());
    }
    return QualityReading.all(known(quality, metric), quality)
        .map(reading -> rule(reading) + " " + brief(reading.ruleValue()))
        .orElse("");
  }

  /** Formats a quality with three decimals or four digits. */
  static String brief(double value) {
    return number(value, "%.3f");
  }

  /** Returns the rule with which a reading is compared, in words that need no explanation. */
  private static String rule(QualityReading reading) {
    return reading.rule().equals(QualityReading.NO_CHANGE)
        ? "repeating the last label"
        : reading.rule();
  }

  /** Says why there is neither a quality of classes nor one of targets. */
  public static String undefined(PrequentialSummary quality) {
    return quality.scored() == 0
        ? "nothing was scored: every sample came before the first model"
        : String.format(
            Locale.ROOT, "none: all %,d scored samples have weight 0", quality.scored());
  }

  /** Formats a loss or an error, in any unit, with four decimals or four digits. */
  public static String number(double value) {
    return number(value, "%.4f");
  }

  /** Returns all metrics that are defined, as {@code name value, name value}; "" if none is. */
  public static String metrics(PrequentialSummary quality) {
    List<String> parts = new ArrayList<>();
    Classification classes = quality.classification();
    if (classes != null && classes.metrics() != null) {
      ClassMetrics metrics = classes.metrics();
      add(parts, "kappa-temporal", metrics.kappaTemporal());
      add(parts, "kappa-M", metrics.kappaM());
      add(parts, "kappa", metrics.model().kappa());
      add(parts, "F1", metrics.model().f1());
      add(parts, "F1 of the second class", metrics.model().positiveF1());
      add(parts, "balanced accuracy", metrics.model().balancedAccuracy());
      add(parts, "top 3", metrics.top3());
      add(parts, "top 5", metrics.top5());
      add(parts, "log loss", classes.logLoss());
      add(parts, "normalized entropy", metrics.normalizedEntropy());
      add(parts, "AUC", metrics.auc());
      add(parts, "predicted for each actual", metrics.calibration());
    }
    Regression targets = quality.regression();
    if (targets != null && targets.metrics() != null) {
      TargetMetrics metrics = targets.metrics();
      add(parts, "MASE", metrics.mase());
      add(parts, "root mean squared error", targets.rootMeanSquaredError());
      add(parts, "R2", metrics.rSquared());
      add(parts, "quantile loss of 0.1", metrics.quantileLoss10());
      add(parts, "of 0.9", metrics.quantileLoss90());
      if (metrics.quantile() != null) {
        add(parts, "of " + metrics.quantile().level(), metrics.quantile().loss());
      }
    }
    return String.join(", ", parts);
  }

  private static void add(List<String> parts, String name, @Nullable Double value) {
    if (value != null) {
      parts.add(name + " " + number(value));
    }
  }

  /** Formats a number. For targets in small or large units only the leading digits are shown. */
  private static String number(double value, String usual) {
    double size = Math.abs(value);
    boolean digits = size != 0 && (size < FEW_DECIMALS || size >= MANY_DIGITS);
    return String.format(Locale.ROOT, digits ? "%.3e" : usual, value);
  }
}
