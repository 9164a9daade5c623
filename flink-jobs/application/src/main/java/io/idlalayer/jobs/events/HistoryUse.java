package io.idlalayer.jobs.events;

import io.idlalayer.modelcontroller.quality.PrequentialSummary;
import org.jspecify.annotations.Nullable;

/**
 * The use of the histories of keys. Either the part for classes or the part for targets is null,
 * depending on the task; both are null until the first sample is scored.
 *
 * @param keys number of keys that have a history
 * @param evictedKeys number of keys whose histories were removed because there were too many
 * @param classification test-then-train results of the model without contexts, for classes
 * @param regression test-then-train results of the model without contexts, for targets
 */
public record HistoryUse(
    long keys,
    long evictedKeys,
    @Nullable ClassesWithout classification,
    @Nullable TargetsWithout regression) {
  /** Returns the use of the histories, with the quality of the model without contexts. */
  public static HistoryUse of(long keys, long evictedKeys, PrequentialSummary without) {
    PrequentialSummary.Classification classes = without.classification();
    PrequentialSummary.Regression targets = without.regression();
    return new HistoryUse(
        keys,
        evictedKeys,
        classes == null
            ? null
            : new ClassesWithout(classes.accuracy(), classes.recentAccuracy(), classes.logLoss()),
        targets == null
            ? null
            : new TargetsWithout(targets.meanAbsoluteError(), targets.recentMeanAbsoluteError()));
  }

  /**
   * Quality of predicted classes without contexts, on the same samples as the quality with
   * contexts.
   *
   * @param recentAccuracy accuracy on the last 1,000 scored samples
   */
  public record ClassesWithout(double accuracy, double recentAccuracy, double logLoss) {}

  /**
   * Errors of predicted targets without contexts, in units of the label.
   *
   * @param recentMeanAbsoluteError error on the last 1,000 scored samples
   */
  public record TargetsWithout(double meanAbsoluteError, double recentMeanAbsoluteError) {}
}
