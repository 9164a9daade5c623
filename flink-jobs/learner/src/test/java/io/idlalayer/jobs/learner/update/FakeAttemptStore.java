package io.idlalayer.jobs.learner.update;

import io.idlalayer.middleware.sample.ContentHash;
import java.util.List;
import java.util.function.BooleanSupplier;

/** An attempt in memory that outlives learners, until their process is dead. */
public final class FakeAttemptStore implements AttemptStore {
  private final BooleanSupplier dead;
  private byte[] written = Attempt.NONE.snapshot();

  public FakeAttemptStore(BooleanSupplier dead) {
    this.dead = dead;
  }

  /** Records contents of samples that killed the process. */
  public void giveUp(ContentHash... contents) {
    written = read().givingUp(List.of(contents)).snapshot();
  }

  /** Returns the contents that are given up. */
  public List<ContentHash> givenUp() {
    return read().givenUp();
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
