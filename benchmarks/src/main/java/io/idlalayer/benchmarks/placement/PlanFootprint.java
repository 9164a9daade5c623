package io.idlalayer.benchmarks.placement;

import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.plan.PlacementPlan;
import io.idlalayer.middleware.placement.plan.PlacementPlan.Move;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What the fast device holds under a plan, by a trial run without a memory. */
final class PlanFootprint {
  private PlanFootprint() {}

  /**
   * Most bytes that are on the fast device at a time if all tensors are made there and leave it
   * only by the plan. A fetched tensor counts from the start of its copy.
   */
  static long peakBytes(TaskGraph graph, PlacementPlan plan) {
    Set<Integer> fast = new HashSet<>();
    for (int tensor = 0; tensor < graph.tensors().size(); tensor++) {
      if (graph.creator(tensor) < 0) {
        fast.add(tensor);
      }
    }
    long peak = bytes(graph, fast);
    for (int k = 0; k < graph.kernels().size(); k++) {
      TaskGraph.Lifetimes lifetimes = graph.kernels().get(k).lifetimes();
      fast.addAll(lifetimes.creates());
      apply(plan.before(k), fast);
      peak = Math.max(peak, bytes(graph, fast));
      apply(plan.after(k), fast);
      lifetimes.retires().forEach(fast::remove);
    }
    return peak;
  }

  private static void apply(List<Move> moves, Set<Integer> fast) {
    for (Move move : moves) {
      switch (move.kind()) {
        case FETCH, FETCH_AHEAD -> fast.add(move.tensor());
        case EVICT -> fast.remove(move.tensor());
        case WRITE_BACK -> {}
      }
    }
  }

  private static long bytes(TaskGraph graph, Set<Integer> tensors) {
    return tensors.stream().mapToLong(tensor -> graph.tensors().get(tensor).bytes()).sum();
  }
}
