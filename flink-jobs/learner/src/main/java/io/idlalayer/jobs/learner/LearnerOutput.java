package io.idlalayer.jobs.learner;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.middleware.models.kafka.ModelNotice;

/** Where a learner sends what it has to say. Called by the operator's thread. */
public interface LearnerOutput {
  /** For the decision topic or the status topic. */
  void decision(DecisionEvent event);

  /** For those who serve models. */
  void notice(ModelNotice notice);
}
