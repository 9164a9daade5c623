package io.idlalayer.middleware.placement.plan;

/**
 * Thrown by a planner that does not plan a step, although there may be a plan. The message says
 * why, as a part of a sentence that follows the planner's name in reports.
 */
public final class PlanRefusedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final boolean passing;

  public PlanRefusedException(String message) {
    this(message, false);
  }

  private PlanRefusedException(String message, boolean passing) {
    super(message);
    this.passing = passing;
  }

  /** Returns an exception whose reason may no longer hold when the planner is asked again. */
  public static PlanRefusedException passing(String message) {
    return new PlanRefusedException(message, true);
  }

  /** Returns whether the reason may no longer hold when the planner is asked again. */
  boolean passing() {
    return passing;
  }
}
