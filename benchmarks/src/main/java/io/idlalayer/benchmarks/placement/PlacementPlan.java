package io.idlalayer.benchmarks.placement;

import io.idlalayer.middleware.placement.api.Reason;
import java.util.List;
import java.util.Map;

/**
 * A plan of a step: moves of tensors before and after its kernels.
 *
 * @param before moves in their order, by the index of the kernel that they precede
 * @param after moves in their order, by the index of the kernel that they follow
 */
public record PlacementPlan(Map<Integer, List<Move>> before, Map<Integer, List<Move>> after) {
  /** Nothing moves. */
  public static final PlacementPlan NONE = new PlacementPlan(Map.of(), Map.of());

  /** Kinds of moves. */
  public enum Kind {
    /** A move to the fast device; waits for a copy that is under way. */
    FETCH,
    /** A move to the fast device, in the background. */
    FETCH_AHEAD,
    /** A copy to the slow device, in the background. */
    WRITE_BACK,
    /** A move from the fast device; waits for a copy that is under way. */
    EVICT
  }

  /**
   * A move.
   *
   * @param tensor index in the graph
   */
  public record Move(Kind kind, int tensor, Reason reason) {}

  public PlacementPlan {
    before = Map.copyOf(before);
    after = Map.copyOf(after);
  }

  /** Moves before a kernel. */
  public List<Move> before(int kernel) {
    return before.getOrDefault(kernel, List.of());
  }

  /** Moves after a kernel. */
  public List<Move> after(int kernel) {
    return after.getOrDefault(kernel, List.of());
  }
}
