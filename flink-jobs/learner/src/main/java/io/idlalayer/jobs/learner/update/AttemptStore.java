package io.idlalayer.jobs.learner.update;

import java.io.IOException;

/** Where the {@link Attempt} of a learner is stored. One thread at a time. */
public interface AttemptStore {
  /**
   * What was written last, {@link Attempt#NONE} if nothing.
   *
   * @throws io.idlalayer.middleware.state.UnreadableStateException if it is damaged, or of another
   *     program
   */
  Attempt read() throws IOException;

  /**
   * Replaces it.
   *
   * @param durable whether it must survive a loss of power; else the death of the process will do
   */
  void write(Attempt attempt, boolean durable) throws IOException;
}
