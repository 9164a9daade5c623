package io.idlalayer.middleware.placement.plan;

import io.idlalayer.middleware.placement.api.MemoryView;
import io.idlalayer.middleware.placement.api.TaskGraph;
import org.jspecify.annotations.Nullable;

/** Plans a step when it begins, and keeps the plan as long as graph and budget stay. */
final class DirectPlans implements PlanSource {
  private final Planner planner;
  private @Nullable TaskGraph graph;
  private long fastBytes;
  private PlacementPlan plan = PlacementPlan.NONE;

  DirectPlans(Planner planner) {
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
