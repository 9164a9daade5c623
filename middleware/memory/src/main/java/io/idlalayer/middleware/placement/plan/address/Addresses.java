package io.idlalayer.middleware.placement.plan.address;

import io.idlalayer.middleware.placement.api.Reason;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.plan.PlacementPlan;
import io.idlalayer.middleware.placement.plan.PlacementPlan.Kind;
import io.idlalayer.middleware.placement.plan.PlacementPlan.Move;
import io.idlalayer.middleware.placement.plan.PlanDevices;
import io.idlalayer.middleware.placement.plan.PlanRefusedException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Gives each tensor of a plan an offset for each of its stays on the fast device, so that no tensor
 * looks for free space while the plan is carried out. A tensor that the plan does not mention gets
 * an offset, too, and stays there.
 */
public final class Addresses {
  private static final int TRIES = 15;

  private final TaskGraph graph;
  private final Map<Integer, List<Integer>> staysOf = new HashMap<>();
  private final List<Stay> stays;
  private final long[] offsets;

  private Addresses(TaskGraph graph, List<Stay> stays, long[] offsets) {
    this.graph = graph;
    this.stays = stays;
    this.offsets = offsets;
    for (int i = 0; i < stays.size(); i++) {
      staysOf.computeIfAbsent(stays.get(i).tensor(), any -> new ArrayList<>()).add(i);
    }
  }

  /**
   * Offsets for a plan.
   *
   * @param plan with offsets; null if not all tensors found one
   * @param crowded kernels at which a tensor found none; empty also if the search has ended before
   *     it knew
   */
  public record Given(@Nullable PlacementPlan plan, BitSet crowded) {}

  /**
   * Returns a plan with offsets, or the kernels at which tensors find none.
   *
   * @param check called again and again; ends the search by a {@link PlanRefusedException}
   */
  public static Given of(TaskGraph graph, PlanDevices devices, PlacementPlan plan, Runnable check) {
    List<Stay> stays = Stays.of(graph, devices, plan);
    AddressPacker.Packed packed;
    try {
      packed =
          AddressPacker.pack(
              stays,
              graph.kernels().size(),
              new AddressPacker.Space(devices.fastBytes(), devices.pieceBytes()),
              TRIES,
              check);
    } catch (PlanRefusedException late) {
      return new Given(null, new BitSet());
    }
    return packed.fits()
        ? new Given(new Addresses(graph, stays, packed.offsets()).added(plan), packed.crowded())
        : new Given(null, packed.crowded());
  }

  /** Returns a plan with offsets, or the plan itself if its tensors find none. */
  public static PlacementPlan orAnywhere(TaskGraph graph, PlanDevices devices, PlacementPlan plan) {
    PlacementPlan given = of(graph, devices, plan, Addresses::requireUninterrupted).plan();
    return given == null ? plan : given;
  }

  private static void requireUninterrupted() {
    if (Thread.currentThread().isInterrupted()) {
      throw new PlanRefusedException("it was interrupted");
    }
  }

  private PlacementPlan added(PlacementPlan plan) {
    Map<Integer, List<Move>> before = moved(plan.before());
    Map<Integer, Long> created = new HashMap<>();
    boolean[] moves = new boolean[graph.tensors().size()];
    note(plan.before(), moves);
    note(plan.after(), moves);
    for (int tensor = 0; tensor < moves.length; tensor++) {
      int creator = graph.creator(tensor);
      List<Integer> users = graph.users(tensor);
      if (creator >= 0) {
        Long offset = offset(tensor, creator);
        if (offset != null) {
          created.put(tensor, offset);
        }
      } else if (!moves[tensor] && !users.isEmpty()) {
        Long offset = offset(tensor, users.get(0));
        if (offset != null) {
          // It moves only once: when the plan begins to be followed.
          before
              .computeIfAbsent(users.get(0), any -> new ArrayList<>())
              .add(new Move(Kind.FETCH, tensor, Reason.PREFETCH, offset));
        }
      }
    }
    return new PlacementPlan(
        plan.places(),
        created,
        before,
        moved(plan.after()),
        plan.predictedNanos(),
        plan.boundNanos(),
        plan.recomputation());
  }

  /** Notes the tensors that come or leave. */
  private static void note(Map<Integer, List<Move>> all, boolean[] moves) {
    for (List<Move> each : all.values()) {
      for (Move move : each) {
        moves[move.tensor()] |= move.kind() != Kind.WRITE_BACK;
      }
    }
  }

  private Map<Integer, List<Move>> moved(Map<Integer, List<Move>> all) {
    Map<Integer, List<Move>> moved = new HashMap<>();
    all.forEach(
        (kernel, moves) ->
            moved.put(
                kernel, new ArrayList<>(moves.stream().map(move -> at(move, kernel)).toList())));
    return moved;
  }

  private Move at(Move move, int kernel) {
    if (move.kind() != Kind.FETCH && move.kind() != Kind.FETCH_AHEAD) {
      return move;
    }
    Long offset = offset(move.tensor(), kernel);
    return offset == null ? move : new Move(move.kind(), move.tensor(), move.reason(), offset);
  }

  /** Returns where a tensor is while a kernel runs; null if it is not on the fast device. */
  private @Nullable Long offset(int tensor, int kernel) {
    for (int index : staysOf.getOrDefault(tensor, List.of())) {
      if (stays.get(index).contains(kernel, graph.kernels().size())) {
        return offsets[index];
      }
    }
    return null;
  }
}
