package io.idlalayer.console.history;

import io.idlalayer.jobs.events.StepPlan;
import org.jspecify.annotations.Nullable;

/**
 * The plan that the trainings of a learner follow.
 *
 * @param atMillis epoch milliseconds of the event that said so; 0 if there was none
 * @param updateNumber number of the first update that followed it; absent if none is known
 * @param plan absent if no event has said which plan is followed
 */
public record FollowedPlan(long atMillis, @Nullable Long updateNumber, @Nullable StepPlan plan) {
  /** No event has said which plan is followed. */
  public static final FollowedPlan NONE = new FollowedPlan(0, null, null);
}
