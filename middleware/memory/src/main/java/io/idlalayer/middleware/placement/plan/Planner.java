package io.idlalayer.middleware.placement.plan;

import io.idlalayer.middleware.placement.api.TaskGraph;

/**
 * Plans a step before it runs. Pure: equal graphs and devices give equal plans, unless the time is
 * over. Any thread.
 */
public interface Planner {
  /** Returns the name of this planner in reports. */
  String name();

  /**
   * Returns the time in nanoseconds after which this planner ends its search, so that what it finds
   * depends on the machine and its load; {@link Long#MAX_VALUE} if it never does.
   */
  default long longestNanos() {
    return Long.MAX_VALUE;
  }

  /**
   * Plans a step.
   *
   * @param graph a kernel whose time is not known has 0 nanoseconds there
   * @return {@link PlacementPlan#NONE} if the planner finds no plan
   * @throws PlanRefusedException if the step is too large for this planner, or takes it too long
   */
  PlacementPlan plan(TaskGraph graph, PlanDevices devices);
}
