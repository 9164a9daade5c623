package io.idlalayer.benchmarks.placement;

import io.idlalayer.middleware.placement.api.MemoryView;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.plan.PlacementPlan;
import io.idlalayer.middleware.placement.plan.PlanDevices;
import io.idlalayer.middleware.placement.plan.PlanSource;
import io.idlalayer.middleware.placement.plan.Planner;
import org.jspecify.annotations.Nullable;

/**
 * Plans a step when it begins, on the thread that trains, and follows each plan without a
 * rehearsal, as long as graph and budget stay the same.
 */
public final class DirectPlans implements PlanSource {
  private final Planner planner;
  private @Nullable TaskGraph graph;
  private long fastBytes;
  private PlacementPlan plan = PlacementPlan.NONE;

  public DirectPlans(Planner planner) {
    this.planner = planner;
  }

  @Override
  public PlacementPlan begin(TaskGraph announced, MemoryView view) {
    long budget = view.fast().budgetBytes();
    if (!announced.equals(graph) || fastBytes != budget) {
      plan = planner.plan(announced, PlanDevices.of(view));
      graph = announced;
      fastBytes = budget;
    }
    return plan;
  }
}
