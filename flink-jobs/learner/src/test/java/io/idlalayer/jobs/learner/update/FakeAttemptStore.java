package io.idlalayer.jobs.learner.update;

import java.util.function.BooleanSupplier;

/** An attempt in memory that outlives learners, until their process is dead. */
public final class FakeAttemptStore implements AttemptStore {
  private final BooleanSupplier dead;
  private byte[] written = Attempt.NONE.snapshot();

  public FakeAttemptStore(BooleanSupplier dead) {
    this.dead = dead;
  }

  @Override
  public Attempt read() {
    return Attempt.restore(written);
  }

  @Override
  public void write(Attempt attempt, boolean durable) {
    if (!dead.getAsBoolean()) {
      written = attempt.snapshot();
    }
  }
}
