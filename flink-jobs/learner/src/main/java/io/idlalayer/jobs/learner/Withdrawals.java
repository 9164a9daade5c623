package io.idlalayer.jobs.learner;

import io.idlalayer.datacontroller.api.DataController;
import io.idlalayer.datacontroller.intake.Retraction;
import io.idlalayer.jobs.learner.state.EventCounters;
import io.idlalayer.jobs.learner.state.LearnerTime;
import io.idlalayer.jobs.learner.update.UpdatePipeline;

/** Takes back labels of events on request. Confined to one thread. */
final class Withdrawals {
  private final DataController data;
  private final EventCounters counters;
  private final UpdatePipeline pipeline;

  Withdrawals(DataController data, EventCounters counters, UpdatePipeline pipeline) {
    this.data = data;
    this.counters = counters;
    this.pipeline = pipeline;
  }

  /**
   * Takes back the label of an event. A sample that waits for its first training then counts as
   * never labelled.
   */
  void retract(String eventId, LearnerTime now) {
    Retraction taken = data.retract(eventId, now.millis());
    switch (taken.fate()) {
      case WITHDRAWN -> {
        counters.unlabeled(1);
        pipeline.tellWaiting(now);
      }
      case WITHDRAWN_IN_TRAINING, WITHDRAWN_AFTER_TRAINING ->
          pipeline.labelWithdrawn(taken.sampleId());
      case UNKNOWN -> {}
    }
  }

  /** Takes back the label of an event, and forgets what the model has learned from its sample. */
  void forget(String eventId, LearnerTime now) {
    // If the stored sample is only a label that waits for its event, the retraction deletes it.
    long sampleId = data.samples().ofEvent(eventId);
    retract(eventId, now);
    pipeline.forget(eventId, sampleId, now);
  }
}
