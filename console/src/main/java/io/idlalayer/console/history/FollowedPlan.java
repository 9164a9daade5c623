package io.idlalayer.console.history;

import io.idlalayer.jobs.events.StepPlan;
import org.jspecify.annotations.Nullable;

/**
 * The plan that the trainings of a learner follow.
 *
 * @param atMillis epoch milliseconds of the event that reported the plan; 0 if there was none
 * @param updateNumber number of the first update that followed the plan; absent if unknown
 * @param plan the plan; absent if no event has reported one
 */
public record FollowedPlan(long atMillis, @Nullable Long updateNumber, @Nullable StepPlan plan) {
  /** The value for the case that no event has reported a plan. */
  public static final FollowedPlan NONE = new FollowedPlan(0, null, null);
}
