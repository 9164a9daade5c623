package io.idlalayer.jobs.findings;

import io.idlalayer.modelcontroller.quality.PrequentialSummary;
import io.idlalayer.modelcontroller.quality.QualityMetric;
import io.idlalayer.modelcontroller.quality.QualityReading;
import java.util.Locale;
import java.util.Optional;

/**
 * Compares a model with the references that need no model: no change, the most frequent class, the
 * base rate, the mean, chance. If a model is worse, it has usually had too few updates, or its
 * updates were too small.
 */
final class BaselineComparison {
  private static final long SCORED_MIN = 50;

  /** If there were fewer updates than this, the likely cause is that there were too few. */
  private static final long UPDATES_FEW = 50;

  private BaselineComparison() {}

  /**
   * Returns a sentence if the model was worse than a reference on the samples that it was tested
   * on, and also on the last 1,000 of these samples; empty otherwise. Model and reference are
   * compared by the same metric.
   *
   * @param updates number of accepted updates
   */
  public static Optional<String> of(
      PrequentialSummary quality, QualityMetric metric, long updates) {
    if (quality.scored() < SCORED_MIN) {
      return Optional.empty();
    }
    boolean worseLately =
        quality.scored() <= PrequentialSummary.WINDOW
            || QualityReading.recent(metric, quality).map(QualityReading::worse).orElse(true);
    return QualityReading.all(metric, quality)
        .filter(reading -> reading.worse() && worseLately)
        .map(
            reading ->
                String.format(
                    Locale.ROOT,
                    "the model is worse than %s (%s %.4g against %.4g)%s",
                    reading.rule(),
                    reading.measure(),
                    reading.value(),
                    reading.ruleValue(),
                    reason(updates)));
  }

  private static String reason(long updates) {
    return updates < UPDATES_FEW
        ? String.format(
            Locale.ROOT,
            ": probably too few updates (%,d): send the input slower (--rate), or set a higher"
                + " training.learning-rate",
            updates)
        : String.format(
            Locale.ROOT,
            " after %,d updates: try a higher training.learning-rate, more training.epochs, or"
                + " other features",
            updates);
  }
}
