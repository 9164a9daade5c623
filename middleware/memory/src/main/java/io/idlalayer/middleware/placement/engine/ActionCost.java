package io.idlalayer.middleware.placement.engine;

/**
 * What actions of one reason came to.
 *
 * @param done how many were carried out
 * @param refused how many were not: no space, the object was in use, or there was nothing to do
 * @param expectedNanos of those that were carried out, as the policy expected them
 * @param nanos that they took by the memory's clock. Of a copy in the background from when it was
 *     asked for to its end, so with what it waited for others before it. An action that waits for
 *     such a copy has that wait as well.
 */
public record ActionCost(long done, long refused, long expectedNanos, long nanos) {
  /** Nothing was done. */
  public static final ActionCost NONE = new ActionCost(0, 0, 0, 0);

  /** Both together. */
  public ActionCost plus(ActionCost other) {
    return new ActionCost(
        done + other.done,
        refused + other.refused,
        expectedNanos + other.expectedNanos,
        nanos + other.nanos);
  }

  /** What came after an earlier count. */
  public ActionCost since(ActionCost earlier) {
    return new ActionCost(
        done - earlier.done,
        refused - earlier.refused,
        expectedNanos - earlier.expectedNanos,
        nanos - earlier.nanos);
  }
}
