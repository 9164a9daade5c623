package io.idlalayer.jobs.learner;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.middleware.models.kafka.ModelNotice;

/** Receives a learner's output. Called by the operator's thread. */
public interface LearnerOutput {
  /** Sends an event to the decision topic or the status topic. */
  void decision(DecisionEvent event);

  /**
   * Sends the event that the learner handles to the dead letters.
   *
   * @param why what the learner knows of it beyond the reason that its decoder has given
   */
  void refused(String why);

  /** Sends a notice to the processes that serve models. */
  void notice(ModelNotice notice);
}
