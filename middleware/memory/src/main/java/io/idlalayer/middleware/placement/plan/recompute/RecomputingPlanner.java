package io.idlalayer.middleware.placement.plan.recompute;

import io.idlalayer.middleware.placement.api.Recomputation;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.plan.PlacementPlan;
import io.idlalayer.middleware.placement.plan.PlanDevices;
import io.idlalayer.middleware.placement.plan.Planner;
import java.util.ArrayList;
import java.util.List;

/**
 * Has tensors dropped and computed again where that takes less time than moving them, and leaves the
 * rest to another planner, which plans the longer step. How many of them are dropped the rehearsal
 * decides: shares of the drops, the cheapest first, give a plan each.
 *
 * <p>Source: rematerialization beside paging, as in POET (Patil 2022). That the cheapest drops come
 * first, and the other planner, are ours.
 */
public final class RecomputingPlanner implements Planner {
  /** Shares of the drops that are worth it. */
  private static final double[] SHARES = {0.25, 0.5, 1};

  private final Planner moves;

  /**
   * @param moves planner of the moves beside the kernels that run once and again
   */
  public RecomputingPlanner(Planner moves) {
    this.moves = moves;
  }

  @Override
  public String name() {
    return moves.name() + "-recompute";
  }

  @Override
  public long longestNanos() {
    return moves.longestNanos();
  }

  @Override
  public PlacementPlan plan(TaskGraph graph, PlanDevices devices) {
    List<PlacementPlan> plans = candidates(graph, devices);
    return plans.isEmpty() ? PlacementPlan.NONE : plans.get(0);
  }

  @Override
  public List<PlacementPlan> candidates(TaskGraph graph, PlanDevices devices) {
    boolean timed = graph.kernels().stream().allMatch(kernel -> kernel.fastNanos() > 0);
    if (!timed || graph.peakBytes() <= devices.fastBytes()) {
      return List.of();
    }
    List<Drop> drops =
        DropChoice.of(
            graph, new DropSearch(graph, devices.times()).all(), devices.fastBytes());
    List<PlacementPlan> plans = new ArrayList<>();
    Recomputation last = Recomputation.NONE;
    for (double share : SHARES) {
      int count = (int) Math.ceil(share * drops.size());
      Recomputation recomputation = DropChoice.recomputation(drops.subList(0, count));
      if (!recomputation.equals(last)) {
        last = recomputation;
        TaskGraph longer = recomputation.appliedTo(graph).graph();
        PlacementPlan plan = moves.plan(longer, devices);
        if (!plan.isEmpty() || longer.peakBytes() <= devices.fastBytes()) {
          plans.add(plan.recomputing(recomputation));
        }
      }
    }
    return plans;
  }
}
