package io.idlalayer.middleware.placement.plan;

import io.idlalayer.middleware.placement.api.TaskGraph;
import java.util.List;

/**
 * A step that is to be planned.
 *
 * @param key all that its plan depends on, but the times of its kernels
 * @param graph with measured times of its kernels
 */
record PlanRequest(PlanKey key, List<Planner> planners, TaskGraph graph, PlanDevices devices) {
  PlanRequest {
    planners = List.copyOf(planners);
  }

  /** Returns a request with its key. */
  static PlanRequest of(List<Planner> planners, TaskGraph graph, PlanDevices devices) {
    return new PlanRequest(PlanKey.of(planners, graph, devices), planners, graph, devices);
  }
}
