package io.idlalayer.middleware.placement.plan;

import io.idlalayer.middleware.placement.api.Reason;
import io.idlalayer.middleware.placement.api.Recomputation;
import io.idlalayer.middleware.placement.api.Room;
import java.util.List;
import java.util.Map;

/**
 * A plan of a step: where tensors are created, and which tensors move before and after its kernels.
 * What a plan leaves open, the policy that follows it decides.
 *
 * @param places device on which a tensor is created, by its index in the graph
 * @param offsets offset on the fast device at which a tensor is created, by its index in the graph;
 *     open for those without one
 * @param before moves in their order, by the index of the kernel that they precede
 * @param after moves in their order, by the index of the kernel that they follow
 * @param predictedNanos duration of a step in the steady state, as the planner expects it; 0 if it
 *     expects none
 * @param boundNanos proved lower bound of the duration of a step under any plan with these reruns;
 *     0 if none is known
 * @param recomputation kernels that run again; all indexes of the plan are those of the step that
 *     it makes
 */
public record PlacementPlan(
    Map<Integer, CreationPlace> places,
    Map<Integer, Long> offsets,
    Map<Integer, List<Move>> before,
    Map<Integer, List<Move>> after,
    long predictedNanos,
    long boundNanos,
    Recomputation recomputation) {
  /** Nothing moves. */
  public static final PlacementPlan NONE = new PlacementPlan(Map.of(), Map.of());

  /** Devices on which a tensor can be created. */
  public enum CreationPlace {
    /** The fast device, from which others leave for the tensor if necessary. */
    FAST,
    /** The slow device. */
    SLOW
  }

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
   * @param offset on the fast device, to which the tensor moves; {@link Room#ANYWHERE} if that is
   *     open
   */
  public record Move(Kind kind, int tensor, Reason reason, long offset) {
    public Move {
      if (offset < Room.ANYWHERE) {
        throw new IllegalArgumentException(
            "a move of tensor %d to offset %d; 0 or more is needed, or %d for any"
                .formatted(tensor, offset, Room.ANYWHERE));
      }
    }

    /** Creates a move to any offset. */
    public Move(Kind kind, int tensor, Reason reason) {
      this(kind, tensor, reason, Room.ANYWHERE);
    }
  }

  public PlacementPlan {
    if (predictedNanos < 0 || boundNanos < 0) {
      throw new IllegalArgumentException(
          "a plan with a step of %d ns and a bound of %d ns; neither may be negative"
              .formatted(predictedNanos, boundNanos));
    }
    places = Map.copyOf(places);
    offsets = Map.copyOf(offsets);
    before = Map.copyOf(before);
    after = Map.copyOf(after);
  }

  /** Creates a plan of a step in which every kernel runs once. */
  public PlacementPlan(
      Map<Integer, CreationPlace> places,
      Map<Integer, List<Move>> before,
      Map<Integer, List<Move>> after,
      long predictedNanos,
      long boundNanos) {
    this(places, Map.of(), before, after, predictedNanos, boundNanos, Recomputation.NONE);
  }

  /** Creates a plan that creates tensors wherever the policy wants, and predicts nothing. */
  public PlacementPlan(Map<Integer, List<Move>> before, Map<Integer, List<Move>> after) {
    this(Map.of(), before, after, 0, 0);
  }

  /**
   * Returns this plan as one of a step in which kernels run again.
   *
   * @param reruns the kernels; the indexes of this plan are those of the step that they make
   */
  public PlacementPlan recomputing(Recomputation reruns) {
    return new PlacementPlan(places, offsets, before, after, predictedNanos, boundNanos, reruns);
  }

  /** Returns this plan with other predictions. */
  public PlacementPlan predicting(long nanos, long bound) {
    return new PlacementPlan(places, offsets, before, after, nanos, bound, recomputation);
  }

  /** Returns the moves before a kernel. */
  public List<Move> before(int kernel) {
    return before.getOrDefault(kernel, List.of());
  }

  /** Returns the moves after a kernel. */
  public List<Move> after(int kernel) {
    return after.getOrDefault(kernel, List.of());
  }

  /** Returns whether this plan neither moves nor places a tensor, nor computes one again. */
  public boolean isEmpty() {
    return places.isEmpty()
        && offsets.isEmpty()
        && before.isEmpty()
        && after.isEmpty()
        && recomputation.isEmpty();
  }
}
