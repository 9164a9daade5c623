package io.idlalayer.middleware.placement;

/**
 * What a plan promises.
 *
 * @param movedBytes copied between devices in one step
 * @param predictedNanos of one step
 * @param gap how far above the optimum it may be, as a share of it; NaN if unknown
 * @param solver that made it; empty if nothing was planned
 * @param solves how often it was called
 */
public record PlanReport(
    long movedBytes, long predictedNanos, double gap, String solver, int solves) {
  /** Of policies that do not plan. */
  public static final PlanReport NONE = new PlanReport(0, 0, Double.NaN, "", 0);
}
