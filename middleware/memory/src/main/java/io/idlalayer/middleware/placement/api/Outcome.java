package io.idlalayer.middleware.placement.api;

import org.jspecify.annotations.Nullable;

/**
 * What came of an action.
 *
 * @param kernel that it was done for: the one that is about to run, has just run or creates an
 *     object; null outside of kernels
 * @param nanos that it took by the memory's clock; of copies in the background only their start
 */
public record Outcome(Action action, @Nullable KernelEvent kernel, Result result, long nanos) {
  /** How it ended. */
  public enum Result {
    /** As it was meant, or there was nothing to do. */
    DONE,
    /** A device had no space. */
    NO_SPACE,
    /** The object is in use and must not move. */
    BUSY
  }

  /** Whether it was carried out. */
  public boolean succeeded() {
    return result == Result.DONE;
  }
}
