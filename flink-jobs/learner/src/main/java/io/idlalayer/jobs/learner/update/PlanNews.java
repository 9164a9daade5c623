package io.idlalayer.jobs.learner.update;

import io.idlalayer.jobs.events.StepPlan;
import io.idlalayer.middleware.placement.api.PlanUse;
import io.idlalayer.modelcontroller.engine.memory.TensorTraffic;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Notices if the steps of trainings follow another plan than before, or if another step is now the
 * longest. Confined to one thread.
 */
final class PlanNews {
  private @Nullable StepPlan told;
  private Set<String> toldRefused = Set.of();

  /**
   * Returns the plan that a training has followed; empty if the policy plans no steps, or if
   * neither the plan nor the list of refused planners has changed since the last result. Measured
   * times in the reasons differ each time, so they do not count as a change.
   *
   * @param traffic traffic of the training's tensors; null if tensors are not placed
   */
  Optional<StepPlan> news(@Nullable TensorTraffic traffic) {
    PlanUse use = traffic == null ? null : traffic.plan();
    if (use == null) {
      return Optional.empty();
    }
    StepPlan now = UpdateRecords.stepPlan(use);
    StepPlan before = told;
    if (before != null
        && now.equals(before.because(now.refused()))
        && toldRefused.equals(use.refused().keySet())) {
      return Optional.empty();
    }
    told = now;
    toldRefused = Set.copyOf(use.refused().keySet());
    return Optional.of(now);
  }

  /** Returns a sentence that says which plan is followed. */
  static String message(StepPlan plan) {
    return switch (plan.planner()) {
      case PlanUse.FITS ->
          "steps of training follow no plan: their tensors all fit the fast memory";
      case PlanUse.UNPLANNED -> "steps of training follow no plan";
      default -> "steps of training follow the plan of " + plan.planner();
    };
  }
}
