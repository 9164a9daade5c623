package io.idlalayer.middleware.placement.engine;

/**
 * Number and times of the actions that a policy took for one reason.
 *
 * @param done number of actions that were carried out
 * @param refused number of actions that were not carried out: no space, object in use, or nothing
 *     to do
 * @param expectedNanos time that the policy expected for the actions that were carried out
 * @param nanos time that they took by the memory's clock. A copy in the background counts from its
 *     request to its end, with its wait for other copies. An action that waits for such a copy
 *     counts that wait as well.
 */
public record ActionCost(long done, long refused, long expectedNanos, long nanos) {
  /** Cost before any action: all counts are 0. */
  public static final ActionCost NONE = new ActionCost(0, 0, 0, 0);

  /** Returns the sum of this cost and another one. */
  public ActionCost plus(ActionCost other) {
    return new ActionCost(
        done + other.done,
        refused + other.refused,
        expectedNanos + other.expectedNanos,
        nanos + other.nanos);
  }

  /** Returns this cost less an earlier one, that is, what was added since. */
  public ActionCost since(ActionCost earlier) {
    return new ActionCost(
        done - earlier.done,
        refused - earlier.refused,
        expectedNanos - earlier.expectedNanos,
        nanos - earlier.nanos);
  }
}
