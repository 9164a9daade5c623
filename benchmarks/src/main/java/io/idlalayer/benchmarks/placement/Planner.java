package io.idlalayer.benchmarks.placement;

import io.idlalayer.middleware.placement.api.TaskGraph;

/** Plans a step before it runs. Pure: equal graphs and budgets give equal plans. */
@FunctionalInterface
public interface Planner {
  /**
   * Plans a step.
   *
   * @param fastBytes budget of the fast device
   */
  PlacementPlan plan(TaskGraph graph, long fastBytes);
}
