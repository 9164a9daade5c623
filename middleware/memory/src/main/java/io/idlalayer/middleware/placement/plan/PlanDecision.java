package io.idlalayer.middleware.placement.plan;

import java.util.Map;
import java.util.TreeMap;

/**
 * The decision that rehearsals have led to about a step: the plan to follow, or none.
 *
 * @param planner name of the planner whose plan is followed; "" if none is
 * @param plan {@link PlacementPlan#NONE} if none is followed
 * @param nanos duration of a step under the plan, as rehearsed; without a plan that under {@code
 *     cached-arrays}
 * @param unplannedNanos duration of a step under {@code cached-arrays}, as rehearsed
 * @param planningNanos time that planning and rehearsing took
 * @param kernelNanos sum of the kernels' times for which it was planned
 * @param slowBytesPerSecond bandwidth of the slow device for which it was planned, as {@link
 *     Drift#bytesPerSecond} has it
 * @param refused reason why a plan is not followed, by the name of its planner
 */
record PlanDecision(
    String planner,
    PlacementPlan plan,
    long nanos,
    long unplannedNanos,
    long planningNanos,
    long kernelNanos,
    double slowBytesPerSecond,
    Map<String, String> refused) {
  PlanDecision {
    refused = Map.copyOf(new TreeMap<>(refused));
  }

  /** Returns the decision to follow no plan, because planning has failed. */
  static PlanDecision failed(PlanRequest request, Throwable failure) {
    return new PlanDecision(
        "",
        PlacementPlan.NONE,
        0,
        0,
        0,
        request.graph().fastNanos(),
        Drift.bytesPerSecond(request.devices().times().slow()),
        Map.of("auto", "planning failed: " + failure));
  }

  /** Returns whether a plan is followed. */
  boolean follows() {
    return !planner.isEmpty();
  }

  /** Returns whether the kernels or the slow device have changed since ({@link Drift}). */
  boolean drifted(long kernelNanosNow, double slowBytesPerSecondNow) {
    return Drift.changed((double) kernelNanos, (double) kernelNanosNow)
        || Drift.changed(slowBytesPerSecond, slowBytesPerSecondNow);
  }
}
