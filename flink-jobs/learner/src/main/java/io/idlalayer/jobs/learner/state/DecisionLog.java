package io.idlalayer.jobs.learner.state;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.UpdateRecord;
import org.jspecify.annotations.Nullable;

/** Says what happens to a learner. */
public interface DecisionLog {
  /**
   * Says it to people, with the learner's status.
   *
   * @param about the update that it happened to; null for none
   */
  void say(DecisionEvent.Type type, LearnerTime now, @Nullable UpdateRecord about, String message);

  /** Something happened that the next status shows. */
  void changed();

  /** Tells those who serve models that a version is in service. */
  void serves(long version, String digest);
}
