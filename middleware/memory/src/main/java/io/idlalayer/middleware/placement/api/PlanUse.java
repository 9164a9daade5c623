package io.idlalayer.middleware.placement.api;

import java.util.Map;

/**
 * The use that a policy makes of the plans of a step.
 *
 * @param planner name of the planner whose plan the step follows; {@link #FITS} or {@link
 *     #UNPLANNED} if it follows none
 * @param predictedNanos duration of a step as it was rehearsed; 0 if nothing was rehearsed
 * @param measuredNanos median duration of the last steps by the memory's clock; 0 if there was none
 * @param unplannedNanos median duration of steps without a plan by the memory's clock; 0 if there
 *     was none
 * @param boundNanos proved lower bound of the duration of a step; 0 if none is known
 * @param planningNanos time that planning and rehearsing took
 * @param differingSteps number of steps whose kernels were not those of their graph
 * @param rerunKernels number of kernels of a step that run a second time because the plan that is
 *     followed says so; 0 if none does
 * @param refused reason why a plan is not followed, by the name of its planner
 * @param curve bytes of the step over its kernels; if it follows no plan, all that is alive is on
 *     the fast device in it. The object stays the same as long as the step and what it follows do
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
