package io.idlalayer.jobs.learner.update;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.events.StepPlan;
import io.idlalayer.middleware.memory.device.DeviceSpeed;
import io.idlalayer.middleware.placement.api.PlanUse;
import io.idlalayer.middleware.placement.api.StepCurve;
import io.idlalayer.middleware.placement.api.StepCurve.Point;
import io.idlalayer.modelcontroller.engine.memory.TensorTraffic;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class PlanNewsTest {
  private static final StepCurve CURVE =
      new StepCurve(
          3, 2, 1, 2, 100, 150, List.of(new Point(150, 90, 1, 2, 3), new Point(80, 70, 4, 5, 6)));

  private final PlanNews news = new PlanNews();

  private static PlanUse use(
      String planner, long measuredNanos, Map<String, String> refused, StepCurve curve) {
    return new PlanUse(planner, 5, measuredNanos, 7, 4, 8, 0, 0, refused, curve);
  }

  private static TensorTraffic traffic(@Nullable PlanUse use) {
    return new TensorTraffic(
        1, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 1, 1, 1, 1, DeviceSpeed.symmetric(1, 1), use, null);
  }

  @Test
  void news_samePlan_isToldOnce() {
    StepPlan plan =
        news.news(traffic(use("autovm", 6, Map.of("b", "late", "a", "slow"), CURVE))).orElseThrow();
    assertThat(plan)
        .isEqualTo(
            new StepPlan(
                "autovm",
                "a: slow; b: late",
                3,
                2,
                1,
                2,
                100,
                150,
                List.of(150L, 80L),
                List.of(90L, 70L),
                List.of(1L, 4L),
                List.of(2L, 5L),
                List.of(3L, 6L)));
    assertThat(news.news(traffic(use("autovm", 9, Map.of("a", "slow", "b", "late"), CURVE))))
        .as("another duration is in the update")
        .isEmpty();
    assertThat(news.news(traffic(use("autovm", 9, Map.of("a", "slow, 7 ns", "b", ""), CURVE))))
        .as("reasons that were measured anew")
        .isEmpty();
    assertThat(PlanNews.message(plan)).isEqualTo("steps of training follow the plan of autovm");
  }

  @Test
  void news_anotherPlanOrReasonOrCurve_isTold() {
    assertThat(news.news(traffic(use("autovm", 6, Map.of(), CURVE)))).isPresent();
    assertThat(news.news(traffic(use("autotm", 6, Map.of(), CURVE)))).isPresent();
    assertThat(news.news(traffic(use("autotm", 6, Map.of("autovm", "slow"), CURVE)))).isPresent();
    StepCurve other = new StepCurve(3, 2, 1, 2, 200, 150, CURVE.points());
    StepPlan fits =
        news.news(traffic(use(PlanUse.FITS, 6, Map.of("autovm", "slow"), other))).orElseThrow();
    assertThat(PlanNews.message(fits)).contains("all fit the fast memory");
    StepPlan open = news.news(traffic(use(PlanUse.UNPLANNED, 6, Map.of(), other))).orElseThrow();
    assertThat(PlanNews.message(open)).isEqualTo("steps of training follow no plan");
    assertThat(news.news(traffic(use("autovm", 6, Map.of(), CURVE)))).as("as before").isPresent();
  }

  @Test
  void news_nothingPlanned_isNone() {
    assertThat(news.news(null)).isEmpty();
    assertThat(news.news(traffic(null))).isEmpty();
  }
}
