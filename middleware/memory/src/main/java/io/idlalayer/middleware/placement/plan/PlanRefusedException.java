package io.idlalayer.middleware.placement.plan;

/**
 * Thrown by a planner that does not plan a step, although there may be a plan. The message says
 * why, as a part of a sentence that follows the planner's name in reports.
 */
public final class PlanRefusedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public PlanRefusedException(String message) {
    super(message);
  }
}
