package io.idlalayer.jobs.findings;

import io.idlalayer.jobs.events.LastLabel;
import io.idlalayer.middleware.sample.text.Shown;
import io.idlalayer.modelcontroller.quality.PrequentialSummary;
import io.idlalayer.modelcontroller.quality.PrequentialSummary.Classification;
import io.idlalayer.modelcontroller.quality.PrequentialSummary.Regression;
import io.idlalayer.modelcontroller.quality.metrics.TargetMetrics;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Advises which history of keys would help a model of an application that keeps none. */
final class HistoryAdvice {
  private static final long SAMPLES_MIN = 200;

  /** Least accuracy by which a last label must be better than the model. */
  private static final double ACCURACY_MARGIN = 0.005;

  /** Largest quotient of the errors of a last label and of the model. */
  private static final double ERROR_QUOTIENT = 0.95;

  /** Names that need no quotes in YAML. */
  private static final Pattern PLAIN_WORD = Pattern.compile("[A-Za-z][A-Za-z0-9_-]{2,}");

  private HistoryAdvice() {}

  /**
   * Returns a sentence if the last label of a key was better than the model; empty otherwise. It is
   * also empty if the application keeps a history, or predicts a quantile, which is not meant to be
   * close to the label.
   *
   * @param lastLabels how well last labels would predict; null if the application keeps a history
   */
  static Optional<String> of(@Nullable List<LastLabel> lastLabels, PrequentialSummary quality) {
    if (lastLabels == null) {
      return Optional.empty();
    }
    Classification classes = quality.classification();
    Regression targets = quality.regression();
    List<LastLabel> known =
        lastLabels.stream().filter(each -> each.samples() >= SAMPLES_MIN).toList();
    // Only the recent quality of the model counts, because the model can have improved.
    if (classes != null) {
      double model = Math.max(classes.accuracy(), classes.recentAccuracy());
      return known.stream()
          .filter(each -> accuracy(each) > model + ACCURACY_MARGIN)
          .max(Comparator.comparingDouble(HistoryAdvice::accuracy))
          .map(best -> sentence(best, "accuracy", accuracy(best), model));
    }
    if (targets != null && !predictsQuantile(targets)) {
      double model = Math.min(targets.meanAbsoluteError(), targets.recentMeanAbsoluteError());
      return known.stream()
          .filter(each -> error(each) < ERROR_QUOTIENT * model)
          .min(Comparator.comparingDouble(HistoryAdvice::error))
          .map(best -> sentence(best, "mean absolute error", error(best), model));
    }
    return Optional.empty();
  }

  private static boolean predictsQuantile(Regression targets) {
    TargetMetrics metrics = targets.metrics();
    return metrics != null && metrics.quantile() != null;
  }

  private static double accuracy(LastLabel of) {
    return orNaN(of.accuracy());
  }

  private static double error(LastLabel of) {
    return orNaN(of.meanAbsoluteError());
  }

  private static double orNaN(@Nullable Double value) {
    return value == null ? Double.NaN : value;
  }

  private static String sentence(LastLabel best, String measure, double value, double ofModel) {
    boolean one = best.field().isEmpty();
    return String.format(
        Locale.ROOT,
        "repeating the last label%s is better than the model (%s %.4g against %.4g): 'history:"
            + " {%slabels: 1}' in the application file gives it to the model as context",
        one ? "" : " with the same " + Shown.of(best.field()),
        measure,
        value,
        ofModel,
        one ? "" : "key: " + inYaml(best.field()) + ", ");
  }

  private static String inYaml(String name) {
    return PLAIN_WORD.matcher(name).matches()
        ? name
        : '"' + name.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }
}
