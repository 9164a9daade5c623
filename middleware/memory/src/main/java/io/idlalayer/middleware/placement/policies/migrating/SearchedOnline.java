package io.idlalayer.middleware.placement.policies.migrating;

import io.idlalayer.middleware.placement.api.MemoryView;
import io.idlalayer.middleware.placement.api.RecentGraphs;

/**
 * Periods of equally many layers whose number is searched while training goes on, as in the source
 * ({@link PeriodSearch}). Each step tries one number; whether the number meets the constraints is
 * known from the kernel times that the step has measured. The steps of each graph have a search of
 * their own.
 */
public final class SearchedOnline implements PeriodSource {
  private final RecentGraphs<PeriodSearch> searches = new RecentGraphs<>();

  private PeriodSearch search(StepProfile step) {
    return searches.get(step.graph(), any -> new PeriodSearch(Math.max(1, step.layers())));
  }

  @Override
  public Periods begin(StepProfile step, MemoryView view) {
    return Periods.uniform(step, search(step).layers());
  }

  @Override
  public void ended(StepProfile step, long[] kernelNanos, long nanos, MemoryView view) {
    PeriodSearch now = search(step);
    if (!now.ended()) {
      PeriodCosts costs =
          new PeriodCosts(step, kernelNanos, view.times(), view.fast().budgetBytes());
      now.ran(costs.feasible(Periods.uniform(step, now.layers())));
    }
  }
}
