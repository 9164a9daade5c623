package io.idlalayer.middleware.placement.plan.redl;

import io.idlalayer.middleware.placement.api.MemoryView;
import io.idlalayer.middleware.placement.api.RecentGraphs;
import io.idlalayer.middleware.placement.policies.migrating.PeriodSource;
import io.idlalayer.middleware.placement.policies.migrating.Periods;
import io.idlalayer.middleware.placement.policies.migrating.StepProfile;
import java.util.concurrent.Executor;

/**
 * A source of periods that are found by rehearsal, with a search of its own for each graph of steps
 * ({@link StepSearch}), so networks that are trained in turns do not disturb each other's search.
 * One thread at a time; searches run on another one.
 */
public final class SearchedPeriods implements PeriodSource {
  private final Executor background;
  private final StepSearch.Search search;
  private final RecentGraphs<StepSearch> searches = new RecentGraphs<>();

  /**
   * @param background runs searches; may refuse one, which is asked for again with the next step
   */
  public SearchedPeriods(Executor background) {
    this(background, (timed, devices) -> new RehearsedSearch(timed, devices).best());
  }

  SearchedPeriods(Executor background, StepSearch.Search search) {
    this.background = background;
    this.search = search;
  }

  private StepSearch of(StepProfile step) {
    return searches.get(step.graph(), any -> new StepSearch(background, search, step));
  }

  @Override
  public Periods begin(StepProfile step, MemoryView view) {
    return of(step).begin(view);
  }

  @Override
  public void ended(StepProfile step, long[] kernelNanos, long nanos, MemoryView view) {
    of(step).ended(step, kernelNanos, nanos, view);
  }

  /**
   * Returns whether the search for a step has ended, and the best periods that it found were
   * measured in steps.
   */
  boolean settled(StepProfile step) {
    return of(step).settled();
  }
}
