package io.idlalayer.middleware.placement.plan.recompute;

import io.idlalayer.middleware.placement.api.Recomputation;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.plan.PlacementPlan;
import io.idlalayer.middleware.placement.plan.PlanDevices;
import io.idlalayer.middleware.placement.plan.PlanRefusedException;
import io.idlalayer.middleware.placement.plan.Planner;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Has tensors dropped and computed again where that takes less time than moving them, and leaves
 * the rest to another planner, which plans the longer step. It makes one plan for a quarter of the
 * drops that are worth it, one for half of them, and one for all; the rehearsal chooses between
 * them.
 *
 * <p>Where the copies of what exceeds the fast device can be hidden beside the kernels, further
 * kernels only cost time, and the step is refused.
 *
 * <p>Source: rematerialization beside paging, as in POET (Patil 2022). The order of the drops is
 * ours.
 */
public final class RecomputingPlanner implements Planner {
  /** Copies that take this share of the kernels' time can be hidden. */
  private static final double HIDDEN = 1.0 / 3;

  /** Most plans of the other planner for each set of drops. */
  private static final int MOST_PLANS = 2;

  private static final int SETS = 3;

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
    long each = moves.longestNanos();
    return each > Long.MAX_VALUE / SETS ? Long.MAX_VALUE : each * SETS;
  }

  /** Returns true, because the other planner may use its whole time limit for each set of drops. */
  @Override
  public boolean takesLong() {
    return moves.longestNanos() < Long.MAX_VALUE;
  }

  @Override
  public PlacementPlan plan(TaskGraph graph, PlanDevices devices) {
    List<PlacementPlan> plans = candidates(graph, devices);
    return plans.isEmpty() ? PlacementPlan.NONE : plans.get(0);
  }

  @Override
  public List<PlacementPlan> candidates(TaskGraph graph, PlanDevices devices) {
    boolean timed = graph.kernels().stream().allMatch(kernel -> kernel.fastNanos() > 0);
    long above = graph.peakBytes() - devices.fastBytes();
    if (!timed || above <= 0) {
      return List.of();
    }
    double copying =
        Math.max(devices.times().copyOut(above), devices.times().copyIn(above))
            / (double) graph.fastNanos();
    if (copying < HIDDEN) {
      throw new PlanRefusedException(
          String.format(
              Locale.ROOT,
              "copies of what exceeds the fast memory take %.2f of the kernels' time, and hide"
                  + " beside them",
              copying));
    }
    List<PlacementPlan> plans = new ArrayList<>();
    for (Recomputation recomputation : recomputations(graph, devices)) {
      plans.addAll(planned(graph, devices, recomputation));
    }
    return plans;
  }

  /** Returns sets of drops: a few, half, and all that are worth it. */
  private static Set<Recomputation> recomputations(TaskGraph graph, PlanDevices devices) {
    List<Drop> drops =
        DropChoice.of(graph, new DropSearch(graph, devices.times()).all(), devices.fastBytes());
    List<Drop> cheapest = new ArrayList<>(drops);
    cheapest.sort(Comparator.comparingDouble(drop -> (double) drop.costNanos() / drop.moveNanos()));
    Set<Recomputation> sets = new LinkedHashSet<>();
    sets.add(DropChoice.recomputation(drops.subList(0, (drops.size() + 3) / 4)));
    sets.add(DropChoice.recomputation(cheapest.subList(0, (drops.size() + 1) / 2)));
    sets.add(DropChoice.recomputation(drops));
    sets.remove(Recomputation.NONE);
    return sets;
  }

  private List<PlacementPlan> planned(
      TaskGraph graph, PlanDevices devices, Recomputation recomputation) {
    TaskGraph longer = recomputation.appliedTo(graph).graph();
    if (longer.peakBytes() > graph.peakBytes()) {
      // Drops that need each other keep tensors longer; a training must not need more than before.
      return List.of();
    }
    List<PlacementPlan> moving =
        longer.peakBytes() <= devices.fastBytes() ? List.of() : moves.candidates(longer, devices);
    // Without moves of the other planner, cached-arrays moves what still does not fit.
    return (moving.isEmpty() ? List.of(PlacementPlan.NONE) : moving)
        .stream().limit(MOST_PLANS).map(plan -> plan.recomputing(recomputation)).toList();
  }
}
