package io.idlalayer.jobs.learner.update;

import java.io.IOException;

/** The store of a learner's {@link Attempt}. Only one thread at a time is allowed to use it. */
public interface AttemptStore {
  /**
   * Returns the record that was written last; {@link Attempt#NONE} if there is none.
   *
   * @throws io.idlalayer.middleware.state.UnreadableStateException if the record is damaged, or
   *     another program wrote it
   */
  Attempt read() throws IOException;

  /**
   * Replaces the stored record by a new one.
   *
   * @param durable whether it must survive a power failure; otherwise it only survives the death of
   *     the process
   */
  void write(Attempt attempt, boolean durable) throws IOException;
}
