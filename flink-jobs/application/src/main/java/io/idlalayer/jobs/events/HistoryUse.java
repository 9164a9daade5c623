package io.idlalayer.jobs.events;

import io.idlalayer.modelcontroller.quality.PrequentialSummary;
import org.jspecify.annotations.Nullable;

/**
 * The histories of keys. The part of the other task is null; both are null until the first sample
 * is scored.
 *
 * @param keys number of keys of which something is kept
 * @param evictedKeys number of keys whose histories left because there were too many
 * @param classification test-then-train results of the model without contexts, for classes
 * @param regression test-then-train results of the model without contexts, for targets
 */
public record HistoryUse(
    long keys,
    long evictedKeys,
    @Nullable ClassesWithout classification,
    @Nullable TargetsWithout regression) {
  /** Returns the histories with what the model is worth without contexts. */
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
   * Quality of predicted classes without contexts, on the samples of the quality with them.
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
