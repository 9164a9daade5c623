package io.idlalayer.jobs.learner.memory;

import io.idlalayer.middleware.cache.budget.Claim;
import io.idlalayer.middleware.cache.budget.FastUse;

/**
 * A use of DRAM whose number of bytes can change while the learner runs. The operator's thread
 * calls it.
 */
public interface Claimant {
  /** The progress of a change of the bytes. */
  enum Change {
    /** The use has the bytes. */
    DONE,
    /** The bytes are changed later; the caller must ask again. */
    WAITS,
    /** The use keeps the bytes that it has; {@link Claimant#refusal} returns the reason. */
    REFUSED
  }

  /** Returns for what the memory is used. */
  FastUse use();

  /** Returns the least number of bytes that the use must have. */
  long leastBytes();

  /**
   * Returns how much time more memory would save, computed from measurements since the last call.
   *
   * @param seconds time since the last call, above 0
   * @param nowBytes bytes that the use has now
   */
  Claim claim(double seconds, long nowBytes);

  /**
   * Starts a change of the number of bytes, or returns the progress of a change to the same number.
   */
  Change resize(long bytes);

  /** Returns why the last change was refused, in words. */
  String refusal();

  /** Returns the seconds that the last change took on other threads. */
  default double changeSeconds() {
    return 0;
  }
}
