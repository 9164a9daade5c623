package io.idlalayer.jobs.learner.state;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.UpdateRecord;
import org.jspecify.annotations.Nullable;

/** Receives reports about what happens to a learner. */
public interface DecisionLog {
  /**
   * Sends an event with a message and the learner's status to the decision topic.
   *
   * @param about the update that the event is about; null if there is none
   */
  void say(DecisionEvent.Type type, LearnerTime now, @Nullable UpdateRecord about, String message);

  /** Records a change that the next status must show. */
  void changed();

  /** Notifies the processes that serve models that a version is in service. */
  void serves(long version, String digest);
}
