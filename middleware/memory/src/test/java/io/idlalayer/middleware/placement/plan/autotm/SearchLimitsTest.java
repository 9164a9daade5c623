package io.idlalayer.middleware.placement.plan.autotm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.plan.PlacementPlan;
import io.idlalayer.middleware.placement.plan.PlanDevices;
import io.idlalayer.middleware.placement.plan.PlanRefusedException;
import io.idlalayer.middleware.placement.plan.Plans;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The bounds of a search in bytes and time. */
class SearchLimitsTest {
  private static final TaskGraph STEP = Plans.chain(12);
  private static final PlanDevices DEVICES = Plans.devices(STEP.peakBytes() / 2);
  private static final long BYTES = 256L << 20;
  private static final long NANOS = 1_000;

  private static PlacementPlan plan(SearchLimits limits) {
    return plan(Form.WINDOWS, limits);
  }

  private static PlacementPlan plan(Form form, SearchLimits limits) {
    return new AutoTmPlanner(form, limits).plan(STEP, DEVICES);
  }

  @Test
  void plan_stepThatNeedsTooManyBytes_isRefusedBeforeItBegins() {
    long needed = SearchLimits.neededBytes(STEP);
    assertThat(plan(new SearchLimits(needed, NANOS, () -> 0)).isEmpty()).isFalse();
    AtomicLong asked = new AtomicLong();
    assertThatThrownBy(() -> plan(new SearchLimits(needed - 1, NANOS, asked::incrementAndGet)))
        .isInstanceOf(PlanRefusedException.class)
        .hasMessageContaining("%,d kernels".formatted(STEP.kernels().size()))
        .hasMessageContaining("%,d bytes".formatted(needed));
    assertThat(asked).hasValue(0);
  }

  /** Checks of the time until the first schedule is whole: one for each path that is looked for. */
  private static long firstSchedule() {
    return (1L + PriceHeuristic.Effort.DEFAULT.rounds()) * STEP.tensors().size() + 2;
  }

  @Test
  void plan_timeIsOverBeforeThereIsASchedule_isRefused() {
    long few = STEP.tensors().size() / 2;
    AtomicLong now = new AtomicLong();
    assertThatThrownBy(() -> plan(new SearchLimits(BYTES, few, now::incrementAndGet)))
        .isInstanceOf(PlanRefusedException.class)
        .hasMessageContaining("no plan within");
    assertThat(now.get()).as("the search ends soon").isLessThan(few + 10);
  }

  @ParameterizedTest
  @EnumSource(Form.class)
  void plan_timeIsOverAfterTheFirstSchedule_isTheBestSoFar(Form form) {
    AtomicLong asked = new AtomicLong();
    plan(form, new SearchLimits(BYTES, Long.MAX_VALUE, asked::incrementAndGet));
    long all = asked.get();
    assertThat(all).isGreaterThan(5 * firstSchedule());
    for (long most = firstSchedule(); most < all; most += all / 20) {
      AtomicLong now = new AtomicLong();
      PlacementPlan plan = plan(form, new SearchLimits(BYTES, most, now::incrementAndGet));
      assertThat(plan.isEmpty()).as("after %d of %d checks", most, all).isFalse();
      assertThat(plan.boundNanos()).isBetween(STEP.fastNanos(), plan.predictedNanos());
      assertThat(now.get()).as("the search ends soon").isLessThan(most + 20);
    }
  }

  @Test
  void plan_threadThatIsInterrupted_isRefusedAndStaysInterrupted() {
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> plan(SearchLimits.DEFAULT)).isInstanceOf(PlanRefusedException.class);
    assertThat(Thread.interrupted()).isTrue();
  }
}
