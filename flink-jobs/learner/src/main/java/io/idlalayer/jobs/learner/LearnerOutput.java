package io.idlalayer.jobs.learner;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.mixing.MixingMessage;
import io.idlalayer.jobs.topics.DeadLetter;
import io.idlalayer.middleware.models.kafka.ModelNotice;

/** Receives a learner's output. Called by the operator's thread. */
public interface LearnerOutput {
  /** Sends an event to the decision topic or the status topic. */
  void decision(DecisionEvent event);

  /** Sends an event that the learner has refused to the dead letters. */
  void refused(DeadLetter letter);

  /** Sends a notice to the processes that serve models. */
  void notice(ModelNotice notice);

  /**
   * Sends a message of the learner to the mixer of its application.
   *
   * @throws IllegalStateException if models are not mixed
   */
  default void mixing(MixingMessage message) {
    throw new IllegalStateException("nothing mixes the models of " + message.application());
  }
}
