package io.idlalayer.jobs.findings;

import io.idlalayer.modelcontroller.quality.PrequentialSummary;
import java.util.Locale;
import java.util.Optional;

/**
 * Compares a model with the references that need no model: no change, and the most frequent class.
 * A model that is worse has most often had too few updates, or too small ones.
 */
final class BaselineComparison {
  private static final long SCORED_MIN = 50;
  private static final int RECENT = 1_000;

  /** Updates below which the likely reason is that there were too few. */
  private static final long UPDATES_FEW = 50;

  private BaselineComparison() {}

  /**
   * Returns a sentence if the model was worse than a reference on the samples that it was tested
   * on, and on the last 1,000 of them too; empty otherwise.
   *
   * @param updates number of accepted updates
   */
  public static Optional<String> of(PrequentialSummary quality, long updates) {
    if (quality.scored() < SCORED_MIN) {
      return Optional.empty();
    }
    PrequentialSummary.Classification classes = quality.classification();
    if (classes != null) {
      return classes(classes, quality.scored(), updates);
    }
    PrequentialSummary.Regression targets = quality.regression();
    if (targets == null || targets.meanAbsoluteError() <= targets.noChangeMeanAbsoluteError()) {
      return Optional.empty();
    }
    return Optional.of(
        String.format(
            Locale.ROOT,
            "the model is worse than no change (mean absolute error %.4g against %.4g)%s",
            targets.meanAbsoluteError(),
            targets.noChangeMeanAbsoluteError(),
            reason(updates)));
  }

  private static Optional<String> classes(
      PrequentialSummary.Classification classes, long scored, long updates) {
    double reference = Math.max(classes.noChangeAccuracy(), classes.majorityAccuracy());
    double recent = Math.max(classes.recentNoChangeAccuracy(), classes.recentMajorityAccuracy());
    boolean caughtUp = scored > RECENT && classes.recentAccuracy() >= recent;
    if (classes.accuracy() >= reference || caughtUp) {
      return Optional.empty();
    }
    return Optional.of(
        String.format(
            Locale.ROOT,
            "the model is worse than %s (accuracy %.4f against %.4f)%s",
            classes.majorityAccuracy() >= classes.noChangeAccuracy()
                ? "always the most frequent class"
                : "no change",
            classes.accuracy(),
            reference,
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
