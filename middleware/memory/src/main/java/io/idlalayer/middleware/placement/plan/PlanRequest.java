package io.idlalayer.middleware.placement.plan;

import io.idlalayer.middleware.placement.api.TaskGraph;
import java.util.List;

/**
 * A step that is to be planned.
 *
 * @param key all that its plan depends on, but the times of its kernels
 * @param graph with measured times of its kernels
 * @param unplannedNanos measured duration of a step without a plan; 0 if it is unknown
 */
record PlanRequest(
    PlanKey key,
    List<Planner> planners,
    TaskGraph graph,
    PlanDevices devices,
    long unplannedNanos) {
  PlanRequest {
    planners = List.copyOf(planners);
  }

  /** Returns a request with its key, for a step of which only the kernels were measured. */
  static PlanRequest of(List<Planner> planners, TaskGraph graph, PlanDevices devices) {
    return new PlanRequest(PlanKey.of(planners, graph, devices), planners, graph, devices, 0);
  }

  /** Returns this request for a step that was measured without a plan. */
  PlanRequest measured(long nanos) {
    return new PlanRequest(key, planners, graph, devices, nanos);
  }
}
