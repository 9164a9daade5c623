package io.idlalayer.middleware.placement.policies.migrating;

import io.idlalayer.middleware.placement.api.MemoryView;
import org.jspecify.annotations.Nullable;

/**
 * Periods of equally many layers whose number is searched while training goes on, as in the source
 * ({@link PeriodSearch}). Each step tries one number; whether the number meets the constraints is
 * known from the kernel times that the step has measured.
 */
public final class SearchedOnline implements PeriodSource {
  private @Nullable StepProfile searched;
  private @Nullable PeriodSearch search;

  @Override
  public Periods begin(StepProfile step, MemoryView view) {
    PeriodSearch now = search;
    if (now == null || searched != step) {
      now = new PeriodSearch(Math.max(1, step.layers()));
      search = now;
      searched = step;
    }
    return Periods.uniform(step, now.layers());
  }

  @Override
  public void ended(StepProfile step, long[] kernelNanos, long nanos, MemoryView view) {
    PeriodSearch now = search;
    if (now != null && searched == step && !now.ended()) {
      PeriodCosts costs =
          new PeriodCosts(step, kernelNanos, view.times(), view.fast().budgetBytes());
      now.ran(costs.feasible(Periods.uniform(step, now.layers())));
    }
  }
}
