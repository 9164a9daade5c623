package io.idlalayer.middleware.placement.engine;

/**
 * Numbers and times of the actions of one reason.
 *
 * @param done how many were carried out
 * @param refused how many were not carried out: no space, the object was in use, or there was
 *     nothing to do
 * @param expectedNanos of the actions that were carried out, as the policy expected
 * @param nanos that they took by the memory's clock. A copy in the background counts from its
 *     request to its end, with its wait for other copies. An action that waits for such a copy
 *     counts that wait as well.
 */
public record ActionCost(long done, long refused, long expectedNanos, long nanos) {
  /** Nothing was done. */
  public static final ActionCost NONE = new ActionCost(0, 0, 0, 0);

  /** The sum of two costs. */
  public ActionCost plus(ActionCost other) {
    return new ActionCost(
        done + other.done,
        refused + other.refused,
        expectedNanos + other.expectedNanos,
        nanos + other.nanos);
  }

  /** The difference from an earlier count. */
  public ActionCost since(ActionCost earlier) {
    return new ActionCost(
        done - earlier.done,
        refused - earlier.refused,
        expectedNanos - earlier.expectedNanos,
        nanos - earlier.nanos);
  }
}
