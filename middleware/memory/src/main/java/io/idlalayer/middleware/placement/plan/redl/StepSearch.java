package io.idlalayer.middleware.placement.plan.redl;

import io.idlalayer.middleware.placement.api.MemoryView;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.plan.Drift;
import io.idlalayer.middleware.placement.plan.PlanDevices;
import io.idlalayer.middleware.placement.policies.migrating.Periods;
import io.idlalayer.middleware.placement.policies.migrating.StepProfile;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The search for the periods of one step. Periods are rehearsed in the background, and the best
 * three are then tried in training. No step is run only for the search.
 *
 * <table>
 *   <caption>States</caption>
 *   <tr><th>state</th><th>periods</th><th>ends</th></tr>
 *   <tr><td>MEASURING</td><td>of one layer each; after a drift those before</td><td>SEARCHING, after
 *     {@value #MEASURED_STEPS} steps</td></tr>
 *   <tr><td>SEARCHING</td><td>those before</td><td>TRYING, when the search has ended; SETTLED, when it
 *     has failed, by whatever error</td></tr>
 *   <tr><td>TRYING</td><td>each of the best for {@value #TRIED_STEPS} steps, of which the first one
 *     is not measured and the least of the others counts; only one step if that is much slower than
 *     before</td><td>SETTLED</td></tr>
 *   <tr><td>SETTLED</td><td>the fastest of them, or those before if none is faster</td><td>MEASURING, with the present periods, if the
 *     slow device or the kernels have changed ({@link Drift}) and the rest is over</td></tr>
 * </table>
 *
 * <p>After a search because of a drift there is a rest of {@value #REST} times as long as that
 * search and its wait for the background took. Measurements that never come to rest thus cost a
 * bounded share of a core.
 *
 * <p>One thread at a time; the search runs on another one.
 */
final class StepSearch {
  /** Number of steps that are measured before a search. */
  static final int MEASURED_STEPS = 2;

  /** Number of steps for which each of the best periods is tried. */
  static final int TRIED_STEPS = 3;

  /** Periods are given up if a step with them takes this many times as long as before. */
  private static final double GIVEN_UP = 1.2;

  /** The rest after a search because of a drift, as a multiple of its time. */
  private static final int REST = 19;

  private static final Logger LOG = LoggerFactory.getLogger(StepSearch.class);

  private enum State {
    MEASURING,
    SEARCHING,
    TRYING,
    SETTLED
  }

  private final Executor background;
  private final Search search;
  private State state = State.MEASURING;
  private Periods present;
  private int steps;

  /** Result of the search that runs; empty if it has failed. */
  private AtomicReference<@Nullable List<RehearsedSearch.Timed>> result = new AtomicReference<>();

  private List<RehearsedSearch.Timed> candidates = List.of();
  private int tried;

  /** The least time of the measured steps of the periods that are tried; 0 as long as none was. */
  private long triedNanos;

  /** Time of the last step with the present periods; 0 as long as none was measured. */
  private long lastNanos;

  /** The least time of two steps with the fastest periods so far. */
  private long leastNanos;

  private boolean drifted;
  private long searchBeganNanos;
  private long restEndsNanos = Long.MIN_VALUE;

  private double searchedBytesPerSecond;
  private long searchedNanos;

  /** Finds the best periods of a step, best first; empty if there are none. Any thread. */
  interface Search {
    List<RehearsedSearch.Timed> best(TaskGraph timed, PlanDevices devices)
        throws InterruptedException;
  }

  /**
   * @param background runs searches; may refuse one, which is asked for again with the next step
   */
  StepSearch(Executor background, Search search, StepProfile step) {
    this.background = background;
    this.search = search;
    present = Periods.uniform(step, 1);
  }

  /** Returns the periods for the step that begins. */
  Periods begin(MemoryView view) {
    List<RehearsedSearch.Timed> found = result.get();
    if (state == State.SEARCHING && found != null) {
      if (drifted) {
        restEndsNanos = view.nanos() + REST * (view.nanos() - searchBeganNanos);
      }
      state = found.isEmpty() ? State.SETTLED : State.TRYING;
      candidates = found;
      tried = 0;
      steps = 0;
      triedNanos = 0;
    }
    return state == State.TRYING ? candidates.get(tried).periods() : present;
  }

  /**
   * Records that the step has ended.
   *
   * @param kernelNanos time of each kernel with everything on the fast device
   * @param nanos time of the step
   */
  void ended(StepProfile step, long[] kernelNanos, long nanos, MemoryView view) {
    steps++;
    if (state != State.TRYING) {
      leastNanos = lastNanos == 0 ? nanos : Math.min(lastNanos, nanos);
      lastNanos = nanos;
    }
    if (state == State.MEASURING && steps >= MEASURED_STEPS) {
      search(step.graph().timed(kernelNanos), view);
    } else if (state == State.TRYING) {
      tried(nanos);
    } else if (state == State.SETTLED
        && view.nanos() >= restEndsNanos
        && hasDrifted(kernelNanos, view)) {
      state = State.MEASURING;
      drifted = true;
      steps = 0;
    }
  }

  private void search(TaskGraph timed, MemoryView view) {
    PlanDevices devices = PlanDevices.of(view);
    AtomicReference<@Nullable List<RehearsedSearch.Timed>> own = new AtomicReference<>();
    result = own;
    searchBeganNanos = view.nanos();
    try {
      background.execute(() -> own.set(searched(timed, devices)));
      state = State.SEARCHING;
      searchedBytesPerSecond = Drift.bytesPerSecond(view.slowSpeed());
      searchedNanos = timed.fastNanos();
    } catch (RejectedExecutionException full) {
      // It is asked for again after the next step.
      steps = MEASURED_STEPS - 1;
    }
  }

  private List<RehearsedSearch.Timed> searched(TaskGraph timed, PlanDevices devices) {
    try {
      return search.best(timed, devices);
    } catch (InterruptedException closing) {
      Thread.currentThread().interrupt();
      return List.of();
    } catch (RuntimeException | Error failed) {
      // An error ends the search as well; otherwise it would seem to go on for ever.
      LOG.warn(
          "the search for periods of a step of {} kernels failed; the present ones stay",
          timed.kernels().size(),
          failed);
      return List.of();
    }
  }

  private void tried(long nanos) {
    if (steps > 1) {
      triedNanos = triedNanos == 0 ? nanos : Math.min(triedNanos, nanos);
    }
    boolean givenUp = nanos > GIVEN_UP * leastNanos;
    if (steps < TRIED_STEPS && !givenUp) {
      return;
    }
    if (!givenUp && triedNanos < leastNanos) {
      leastNanos = triedNanos;
      present = candidates.get(tried).periods();
    }
    steps = 0;
    triedNanos = 0;
    lastNanos = 0;
    state = ++tried == candidates.size() ? State.SETTLED : State.TRYING;
  }

  private boolean hasDrifted(long[] kernelNanos, MemoryView view) {
    long sum = 0;
    for (long nanos : kernelNanos) {
      sum += nanos;
    }
    return Drift.changed(searchedBytesPerSecond, Drift.bytesPerSecond(view.slowSpeed()))
        || Drift.changed((double) searchedNanos, (double) sum);
  }

  /** Returns whether the search has ended and its best periods were tried. */
  boolean settled() {
    return state == State.SETTLED;
  }
}
