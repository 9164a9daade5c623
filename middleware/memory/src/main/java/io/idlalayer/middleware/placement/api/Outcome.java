package io.idlalayer.middleware.placement.api;

import org.jspecify.annotations.Nullable;

/**
 * The result of an action that a policy asked for.
 *
 * @param kernel that it was done for: one that is about to run, has just run or creates an object;
 *     null outside of kernels
 * @param nanos that it took by the memory's clock; for a copy in the background the time to start
 *     it
 */
public record Outcome(Action action, @Nullable KernelEvent kernel, Result result, long nanos) {
  /** How an action ended. */
  public enum Result {
    /** The action was carried out, or there was nothing to do. */
    DONE,
    /** The action failed because a device had no space. */
    NO_SPACE,
    /** The action failed because the object is in use and must not move. */
    BUSY
  }

  /** Returns whether the action was carried out. */
  public boolean succeeded() {
    return result == Result.DONE;
  }
}
