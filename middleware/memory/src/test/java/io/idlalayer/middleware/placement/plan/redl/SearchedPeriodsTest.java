package io.idlalayer.middleware.placement.plan.redl;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.placement.FakeView;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.policies.migrating.Periods;
import io.idlalayer.middleware.placement.policies.migrating.StepProfile;
import io.idlalayer.middleware.placement.trace.RandomGraphs;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

class SearchedPeriodsTest {
  private static final TaskGraph GRAPH = RandomGraphs.chain(8, 640, 1280);

  private final StepProfile step = new StepProfile(GRAPH);
  private final FakeView view = new FakeView(4_096);
  private final Deque<Runnable> work = new ArrayDeque<>();

  private static long[] nanos(long each) {
    long[] nanos = new long[GRAPH.kernels().size()];
    Arrays.fill(nanos, each);
    return nanos;
  }

  private Periods step(SearchedPeriods periods, long nanos) {
    Periods now = periods.begin(step, view);
    periods.ended(step, nanos(1_500), nanos, view);
    return now;
  }

  /** Runs steps up to the one that follows the search. */
  private SearchedPeriods searched() {
    SearchedPeriods periods = new SearchedPeriods(work::add);
    for (int i = 0; i < StepSearch.MEASURED_STEPS; i++) {
      assertThat(step(periods, 100)).isEqualTo(Periods.uniform(step, 1));
    }
    assertThat(work).hasSize(1);
    return periods;
  }

  @Test
  void search_runsInTheBackground() {
    SearchedPeriods periods = searched();
    for (int i = 0; i < 5; i++) {
      assertThat(step(periods, 100)).isEqualTo(Periods.uniform(step, 1));
    }
    assertThat(work).hasSize(1);
    assertThat(periods.settled(step)).isFalse();
  }

  @Test
  void bestPeriods_areTriedInTurnAndTheFastestIsKept() {
    SearchedPeriods periods = searched();
    work.remove().run();
    List<Periods> tried = new ArrayList<>();
    for (int i = 0; i < RehearsedSearch.BEST; i++) {
      Periods first = step(periods, 1);
      assertThat(periods.settled(step)).isFalse();
      // The first step with other periods is not measured, and the second candidate is fastest.
      assertThat(step(periods, 60)).isEqualTo(first);
      assertThat(step(periods, i == 1 ? 50 : 60)).isEqualTo(first);
      tried.add(first);
    }
    assertThat(periods.settled(step)).isTrue();
    assertThat(tried).doesNotHaveDuplicates();
    assertThat(step(periods, 1)).isEqualTo(tried.get(1));
    assertThat(work).isEmpty();
  }

  @Test
  void periodsThatAreMuchSlower_areGivenUpAfterAStep() {
    SearchedPeriods periods = searched();
    work.remove().run();
    for (int i = 0; i < RehearsedSearch.BEST; i++) {
      assertThat(periods.settled(step)).isFalse();
      step(periods, 200);
    }
    assertThat(periods.settled(step)).isTrue();
    assertThat(step(periods, 100)).isEqualTo(Periods.uniform(step, 1));
  }

  @Test
  void bestPeriods_oneSlowStep_decidesNothing() {
    SearchedPeriods periods = searched();
    step(periods, 1_000);
    work.remove().run();
    List<Periods> tried = new ArrayList<>();
    for (int i = 0; i < RehearsedSearch.BEST; i++) {
      step(periods, 110);
      tried.add(step(periods, i == 1 ? 118 : 110));
      step(periods, i == 1 ? 70 : 110);
    }
    assertThat(periods.settled(step)).isTrue();
    assertThat(step(periods, 100)).isEqualTo(tried.get(1));
  }

  @Test
  void presentPeriods_oneSlowStepBeforeTheTrial_stay() {
    SearchedPeriods periods = searched();
    step(periods, 1_000);
    work.remove().run();
    for (int i = 0; i < RehearsedSearch.BEST * StepSearch.TRIED_STEPS; i++) {
      step(periods, 110);
    }
    assertThat(periods.settled(step)).isTrue();
    assertThat(step(periods, 100)).isEqualTo(Periods.uniform(step, 1));
  }

  @Test
  void measurementsThatNeverRest_areSearchedForABoundedShareOfTheTime() {
    long[] searches = {0};
    SearchedPeriods periods =
        new SearchedPeriods(
            task -> {
              searches[0]++;
              view.nanos += 100;
              task.run();
            },
            (timed, devices) -> List.of());
    for (int i = 0; i < 20_000; i++) {
      view.slowdown = i / 10 % 2 == 0 ? 1 : 3;
      view.nanos += 1;
      step(periods, 60);
    }
    assertThat(100 * searches[0]).isLessThan(view.nanos / 10).isGreaterThan(view.nanos / 40);
  }

  @Test
  void slowerDevice_isSearchedForAgain() {
    SearchedPeriods periods = searched();
    work.remove().run();
    for (int i = 0; i < RehearsedSearch.BEST * StepSearch.TRIED_STEPS; i++) {
      step(periods, 60);
    }
    Periods before = step(periods, 60);
    view.slowdown = 1.1;
    step(periods, 60);
    step(periods, 60);
    assertThat(work).isEmpty();
    view.slowdown = 3;
    for (int i = 0; i <= StepSearch.MEASURED_STEPS; i++) {
      assertThat(step(periods, 60)).isEqualTo(before);
    }
    assertThat(work).hasSize(1);
  }

  @Test
  void busyBackground_isAskedAgain() {
    int[] refused = new int[1];
    Executor busy =
        task -> {
          if (refused[0]++ < 3) {
            throw new RejectedExecutionException("full");
          }
          work.add(task);
        };
    SearchedPeriods periods = new SearchedPeriods(busy);
    for (int i = 0; i < StepSearch.MEASURED_STEPS + 2; i++) {
      step(periods, 100);
      assertThat(work).isEmpty();
    }
    step(periods, 100);
    assertThat(work).hasSize(1);
  }

  @Test
  void searchThatIsInterrupted_leavesThePresentPeriods() {
    SearchedPeriods periods = new SearchedPeriods(work::add);
    for (int i = 0; i < StepSearch.MEASURED_STEPS; i++) {
      step(periods, 100);
    }
    Thread.currentThread().interrupt();
    work.remove().run();
    assertThat(Thread.interrupted()).isTrue();
    assertThat(periods.begin(step, view)).isEqualTo(Periods.uniform(step, 1));
    assertThat(periods.settled(step)).isTrue();
  }

  @Test
  void searchThatEndsWithAnError_isSettledWithThePresentPeriods() {
    SearchedPeriods periods =
        new SearchedPeriods(
            work::add,
            (timed, devices) -> {
              throw new OutOfMemoryError("as if the heap were full");
            });
    for (int i = 0; i < StepSearch.MEASURED_STEPS; i++) {
      step(periods, 100);
    }
    work.remove().run();
    assertThat(step(periods, 100)).isEqualTo(Periods.uniform(step, 1));
    assertThat(periods.settled(step)).isTrue();
    assertThat(work).isEmpty();
  }

  @Test
  void networksInTurns_areSearchedEachByItself() {
    SearchedPeriods periods = new SearchedPeriods(work::add);
    StepProfile other = new StepProfile(RandomGraphs.chain(3, 640, 1280));
    for (int i = 0; i < StepSearch.MEASURED_STEPS; i++) {
      step(periods, 100);
      periods.begin(other, view);
      periods.ended(other, new long[other.graph().kernels().size()], 100, view);
    }
    assertThat(work).as("one search for each").hasSize(2);
    work.remove().run();
    work.remove().run();
    for (int i = 0; i < RehearsedSearch.BEST * StepSearch.TRIED_STEPS; i++) {
      step(periods, 60);
      periods.begin(other, view);
    }
    assertThat(periods.settled(step)).isTrue();
    assertThat(periods.settled(other)).isFalse();
    assertThat(work).isEmpty();
  }
}
