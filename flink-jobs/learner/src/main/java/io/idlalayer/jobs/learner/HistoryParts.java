package io.idlalayer.jobs.learner;

import io.idlalayer.jobs.events.HistoryUse;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.history.KeyHistories;
import io.idlalayer.modelcontroller.quality.PrequentialEvaluator;
import org.jspecify.annotations.Nullable;

/**
 * What a learner keeps for the history of keys.
 *
 * @param histories the histories, from which events get their contexts
 * @param withoutContext test-then-train results of the model without contexts
 */
record HistoryParts(KeyHistories histories, PrequentialEvaluator withoutContext) {
  static HistoryParts of(SampleSchema schema) {
    return new HistoryParts(new KeyHistories(schema), new PrequentialEvaluator(schema.label()));
  }

  /** Returns their part of the status; null if there is no history. */
  @Nullable HistoryUse status() {
    return histories.kept()
        ? HistoryUse.of(histories.size(), histories.evicted(), withoutContext.summary())
        : null;
  }
}
