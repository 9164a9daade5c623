package io.idlalayer.middleware.placement.api;

/** Plans a step that is known beforehand. Pure: the same graph and budget give the same plan. */
@FunctionalInterface
public interface Planner {
  /**
   * A plan.
   *
   * @param fastBytes budget of the fast device
   */
  PlacementPlan plan(TaskGraph graph, long fastBytes);
}
