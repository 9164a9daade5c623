package io.idlalayer.middleware.placement.api;

import java.util.Map;

/**
 * The use that a policy makes of the plans of a step.
 *
 * @param planner name of the planner whose plan the step follows; {@link #FITS} or {@link
 *     #UNPLANNED} if it follows none
 * @param predictedNanos duration of a step in its rehearsal; 0 if no step was rehearsed
 * @param measuredNanos median duration of the last steps by the memory's clock; 0 if no step was
 *     measured
 * @param unplannedNanos median duration of steps without a plan by the memory's clock; 0 if no such
 *     step was measured
 * @param boundNanos proved lower bound of the duration of a step; 0 if none is known
 * @param planningNanos time that planning and rehearsing took
 * @param differingSteps number of steps whose kernels were not those of their graph
 * @param rerunKernels number of kernels of a step that run a second time because the plan that is
 *     followed says so; 0 if none does
 * @param refused reason why a plan is not followed, by the name of its planner
 * @param curve bytes of the step, kernel by kernel. If the step follows no plan, the curve has all
 *     live tensors on the fast device. This object stays the same while the step and its planner
 *     stay the same
 */
public record PlanUse(
    String planner,
    long predictedNanos,
    long measuredNanos,
    long unplannedNanos,
    long boundNanos,
    long planningNanos,
    long differingSteps,
    int rerunKernels,
    Map<String, String> refused,
    StepCurve curve) {
  /** Planner of a step that needs no plan, because all of its tensors fit the fast device. */
  public static final String FITS = "all-fast";

  /** Planner of a step without a plan. */
  public static final String UNPLANNED = "cached-arrays";

  public PlanUse {
    refused = Map.copyOf(refused);
  }
}
