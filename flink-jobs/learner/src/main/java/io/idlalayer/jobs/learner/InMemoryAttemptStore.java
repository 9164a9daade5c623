package io.idlalayer.jobs.learner;

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
