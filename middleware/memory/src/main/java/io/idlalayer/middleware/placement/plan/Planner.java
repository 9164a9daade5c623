package io.idlalayer.middleware.placement.plan;

import io.idlalayer.middleware.placement.api.TaskGraph;
import java.util.List;

/**
 * An algorithm that plans a step before the step runs. Pure: equal graphs and devices give equal
 * plans, unless the search is cut short by its time limit. Any thread.
 */
public interface Planner {
  /** Returns the name of this planner in reports. */
  String name();

  /**
   * Returns the time in nanoseconds after which this planner stops its search; {@link
   * Long#MAX_VALUE} if it has no such limit. With a limit, its plans depend on the machine and its
   * load.
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

  /**
   * Returns at most a handful of plans of a step, of which a rehearsal chooses the best; empty if
   * there is none. Usually that is the one plan of {@link #plan}.
   *
   * @throws PlanRefusedException if the step is too large for this planner, or takes it too long
   */
  default List<PlacementPlan> candidates(TaskGraph graph, PlanDevices devices) {
    PlacementPlan plan = plan(graph, devices);
    return plan.isEmpty() ? List.of() : List.of(plan);
  }

  /**
   * Returns whether this planner takes so long that the best plan of the planners before it is
   * followed meanwhile. Such a planner is asked once for a step, and looks for space by itself.
   */
  default boolean takesLong() {
    return false;
  }
}
