package io.idlalayer.middleware.placement.plan;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Compares steps under a plan with steps without one, once for each decision, if the steps take
 * much longer than rehearsed. Steps without a plan were measured while the desk planned and the
 * process was new, so they are no measure if the two are near each other. One thread at a time.
 */
final class PlanComparison {
  /** Number of steps under a plan after which they are compared with what was rehearsed. */
  static final int TRIED_STEPS = 24;

  /** Number of steps without a plan until tensors no longer lie where the plan has left them. */
  static final int SETTLING_STEPS = 3;

  /** Number of steps without a plan that steps under the plan are compared with. */
  static final int COMPARED_STEPS = 5;

  /** Steps under a plan are clearly faster if they take less than this share of those without. */
  private static final double CLEARLY_FASTER = 0.5;

  /** Steps are slower if they take more than this many times as long. */
  private static final double NOISE = 1.02;

  private boolean compared;
  private int steps;

  /** Records that another decision is followed from now on. */
  void reset() {
    compared = false;
  }

  /**
   * Returns whether the next steps are to follow no plan.
   *
   * @param followed the steps under the plan so far
   * @param rehearsedNanos duration of a step under the plan, as rehearsed
   * @param unplannedNanos duration of a step without a plan, as measured before
   */
  boolean begins(FollowedSteps followed, long rehearsedNanos, long unplannedNanos) {
    if (compared || followed.count() < TRIED_STEPS) {
      return false;
    }
    compared = true;
    steps = 0;
    long nanos = followed.medianNanos();
    return nanos > rehearsedNanos * Drift.FACTOR && nanos > unplannedNanos * CLEARLY_FASTER;
  }

  /**
   * Records a step without a plan. Returns whether the comparison has ended.
   *
   * @param unplanned takes the steps that count, and forgets those before
   */
  boolean ended(long nanos, StepDurations unplanned) {
    steps++;
    if (steps <= SETTLING_STEPS) {
      return false;
    }
    if (steps == SETTLING_STEPS + 1) {
      unplanned.clear();
    }
    unplanned.add(nanos);
    return unplanned.count() == COMPARED_STEPS;
  }

  /**
   * Returns the reason for which a plan is not worth following; null if there is none.
   *
   * @param with duration of a step under the plan
   * @param without duration of a step without it
   */
  static @Nullable String reason(long with, long without) {
    return with <= without * NOISE
        ? null
        : String.format(
            Locale.ROOT,
            "its steps took %,d ns, and steps without a plan %,d ns directly afterwards",
            with,
            without);
  }
}
