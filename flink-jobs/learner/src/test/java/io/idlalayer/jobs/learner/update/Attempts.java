package io.idlalayer.jobs.learner.update;

import io.idlalayer.middleware.sample.ContentHash;
import java.util.List;

/** An example of the record of training attempts, for the test of its format. */
public final class Attempts {
  private Attempts() {}

  public static byte[] example() {
    ContentHash alone = new ContentHash(5, 6);
    Bisection step = new Bisection(new long[] {5, 9}, 1, false, 2, 3);
    return new Attempt(true, new long[] {5}, step, alone, List.of(new ContentHash(7, 8), alone))
        .snapshot();
  }

  public static byte[] readAndWritten(byte[] bytes) {
    return Attempt.restore(bytes).snapshot();
  }
}
