package io.idlalayer.jobs.learner;

import io.idlalayer.jobs.events.HistoryUse;
import io.idlalayer.jobs.events.LastLabel;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.survey.LastLabelSurvey;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.history.KeyHistories;
import io.idlalayer.modelcontroller.quality.PrequentialEvaluator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The components of a learner that serve the history of keys.
 *
 * @param histories the histories, from which events get their contexts
 * @param withoutContext test-then-train results of the model without contexts
 * @param survey measures how well the last label of a key would predict; null if the application
 *     has a history, or cannot have one
 */
record HistoryParts(
    KeyHistories histories, PrequentialEvaluator withoutContext, @Nullable LastLabelSurvey survey) {
  static HistoryParts of(ApplicationSettings settings) {
    SampleSchema schema = settings.model().schema();
    return new HistoryParts(
        new KeyHistories(schema),
        new PrequentialEvaluator(schema.label()),
        LastLabelSurvey.of(settings));
  }

  /** Processes a sample that now has features and a label. */
  void labelled(Sample sample) {
    if (survey != null) {
      survey.add(sample);
    }
  }

  /**
   * Returns how well the last label of a key would predict; null if the application has a history
   * already, or cannot have one.
   */
  @Nullable List<LastLabel> lastLabels() {
    return survey == null ? null : survey.results();
  }

  /** Returns the part of the status about the history; null if there is no history. */
  @Nullable HistoryUse status() {
    return histories.kept()
        ? HistoryUse.of(histories.size(), histories.evicted(), withoutContext.summary())
        : null;
  }
}
