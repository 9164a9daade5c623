package io.idlalayer.jobs.learner;

import io.idlalayer.jobs.learner.update.Attempt;
import io.idlalayer.jobs.learner.update.AttemptStore;

/** An attempt on the heap, for learners whose trainings cannot kill the process unnoticed. */
final class InMemoryAttemptStore implements AttemptStore {
  private Attempt last = Attempt.NONE;

  @Override
  public Attempt read() {
    return last;
  }

  @Override
  public void write(Attempt attempt, boolean durable) {
    last = attempt;
  }
}
