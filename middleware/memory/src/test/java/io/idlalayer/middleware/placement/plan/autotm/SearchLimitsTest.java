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

/** The bounds of a search in bytes and time. */
class SearchLimitsTest {
  private static final TaskGraph STEP = Plans.chain(12);
  private static final PlanDevices DEVICES = Plans.devices(STEP.peakBytes() / 2);
  private static final long BYTES = 256L << 20;
  private static final long NANOS = 1_000;

  private static PlacementPlan plan(SearchLimits limits) {
    return new AutoTmPlanner(Form.WINDOWS, limits).plan(STEP, DEVICES);
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

  @Test
  void plan_timeIsOverBeforeThereIsAPlan_isRefused() {
    AtomicLong now = new AtomicLong();
    assertThatThrownBy(() -> plan(new SearchLimits(BYTES, NANOS, now::incrementAndGet)))
        .isInstanceOf(PlanRefusedException.class)
        .hasMessageContaining("no plan within");
    assertThat(now.get()).as("the search ends soon").isLessThan(NANOS + 10);
  }

  @Test
  void plan_timeIsOverWhileItIsImproved_isTheBestSoFar() {
    AtomicLong asked = new AtomicLong();
    plan(new SearchLimits(BYTES, Long.MAX_VALUE, asked::incrementAndGet));
    int plans = 0;
    long all = asked.get();
    for (long most = all / 20; most < all; most += all / 20) {
      AtomicLong now = new AtomicLong();
      try {
        assertThat(plan(new SearchLimits(BYTES, most, now::incrementAndGet)).isEmpty()).isFalse();
        plans++;
      } catch (PlanRefusedException late) {
        assertThat(plans).as("refused with more time than was enough").isZero();
      }
    }
    assertThat(plan(new SearchLimits(BYTES, all, new AtomicLong()::incrementAndGet)).isEmpty())
        .isFalse();
  }

  @Test
  void plan_threadThatIsInterrupted_isRefusedAndStaysInterrupted() {
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> plan(SearchLimits.DEFAULT)).isInstanceOf(PlanRefusedException.class);
    assertThat(Thread.interrupted()).isTrue();
  }
}
