package io.idlalayer.jobs.learner.memory;

import io.idlalayer.middleware.cache.budget.Claim;
import io.idlalayer.middleware.cache.budget.FastUse;

/** A use of DRAM whose bytes may change while the learner runs. The operator's thread calls it. */
public interface Claimant {
  /** How far a change of the bytes has come. */
  enum Change {
    /** The use has the bytes. */
    DONE,
    /** They are changed later, so that the caller asks again. */
    WAITS,
    /** The use keeps what it has; {@link Claimant#refusal} says why. */
    REFUSED
  }

  /** Returns what the memory is used for. */
  FastUse use();

  /** Returns the fewest bytes that it must have. */
  long leastBytes();

  /**
   * Returns what memory would save, by what was measured since the last call.
   *
   * @param seconds time since the last call, above 0
   * @param nowBytes what the use has
   */
  Claim claim(double seconds, long nowBytes);

  /** Has the bytes changed, or asks how far the change to the same number has come. */
  Change resize(long bytes);

  /** Returns why the last change was refused, in words. */
  String refusal();

  /** Returns the seconds that the last change took on other threads. */
  default double changeSeconds() {
    return 0;
  }
}
