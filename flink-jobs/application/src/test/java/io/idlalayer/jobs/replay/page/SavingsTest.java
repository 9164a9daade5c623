package io.idlalayer.jobs.replay.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.modelcontroller.optimum.ScheduleCosts;
import io.idlalayer.modelcontroller.replay.ArrivalTrace;
import io.idlalayer.modelcontroller.replay.Machine;
import io.idlalayer.modelcontroller.replay.ReplayLab;
import io.idlalayer.modelcontroller.replay.RuleOutcome;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import io.idlalayer.modelcontroller.update.UpdateSettings.RuleName;
import io.idlalayer.modelcontroller.update.UpdateSettings.Tuning;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class SavingsTest {
  private static final ScheduleCosts COSTS = new ScheduleCosts(0.01, 2, 20);

  /** Bursts at random times: a fixed interval has to choose between bursts and the time between. */
  private static ArrivalTrace bursts(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    ArrivalTrace.Builder trace = new ArrivalTrace.Builder();
    double at = 0;
    for (int burst = 0; burst < 40; burst++) {
      at += 30 - 120 * Math.log(1 - random.nextDouble());
      for (int i = 0; i < 20; i++) {
        trace.add(Math.round((at + 4 * random.nextDouble()) * 1e9), 1);
      }
    }
    return trace.build();
  }

  private static RuleOutcome periodic(ArrivalTrace trace, double period) {
    Tuning tuning = Tuning.defaults().withPeriodSeconds(period);
    return new ReplayLab(trace, COSTS, Machine.ONE)
        .run(UpdateSettings.of(RuleName.PERIODIC, COSTS.weight()).with(tuning));
  }

  @Test
  void of_bursts_waysAreThoseOfTheSimulatedRules() {
    ArrivalTrace trace = bursts(1);
    Savings savings = Savings.of(trace, COSTS, Machine.ONE);
    ReplayLab lab = new ReplayLab(trace, COSTS, Machine.ONE);
    RuleOutcome adaptive = lab.run(UpdateSettings.of(RuleName.ADAPTIVE, COSTS.weight()));
    assertThat(savings.adaptive().outcome().cost()).isEqualTo(adaptive.cost());
    assertThat(savings.adaptive().outcome().updates()).isEqualTo(adaptive.updates());
    assertThat(Arrays.stream(savings.adaptive().trainings()).sum()).isEqualTo(adaptive.updates());
    assertThat(Arrays.stream(savings.arrivals()).sum()).isEqualTo(trace.arrivals());
    assertThat(savings.exact()).isTrue();
    assertThat(savings.bestCost())
        .isLessThanOrEqualTo(adaptive.cost())
        .isLessThanOrEqualTo(savings.continuous().outcome().cost());
    assertThat(savings.usual()).extracting(Savings.Way::periodSeconds).contains(10.0, 60.0, 600.0);
    for (Savings.Way each : savings.usual()) {
      RuleOutcome alone = periodic(trace, each.periodSeconds());
      assertThat(each.meanWaitSeconds()).isEqualTo(alone.meanLatencySeconds());
      assertThat(each.trainingSeconds()).isEqualTo(alone.machineSeconds());
    }
  }

  @Test
  void of_severalTraces_noIntervalIsMuchBetterThanTheOnesNamed() {
    for (int seed = 1; seed <= 5; seed++) {
      ArrivalTrace trace = bursts(seed);
      Savings savings = Savings.of(trace, COSTS, Machine.ONE);
      double fresh = savings.adaptive().meanWaitSeconds();
      double cheap = savings.adaptive().trainingSeconds();
      assertThat(savings.asFresh().meanWaitSeconds()).isLessThanOrEqualTo(fresh);
      assertThat(savings.asCheap().trainingSeconds()).isLessThanOrEqualTo(cheap);
      double leastTraining = Double.MAX_VALUE;
      double leastWait = Double.MAX_VALUE;
      for (double period :
          IntStream.range(0, 400).mapToDouble(i -> 0.5 * Math.pow(1.02, i)).toArray()) {
        RuleOutcome each = periodic(trace, period);
        if (each.meanLatencySeconds() <= fresh) {
          leastTraining = Math.min(leastTraining, each.machineSeconds());
        }
        if (each.machineSeconds() <= cheap) {
          leastWait = Math.min(leastWait, each.meanLatencySeconds());
        }
      }
      assertThat(savings.asFresh().trainingSeconds()).isLessThan(1.1 * leastTraining);
      assertThat(savings.asCheap().meanWaitSeconds()).isLessThan(1.25 * leastWait);
    }
  }

  @Test
  void of_eventsOfEachHour_aRoundIntervalThatIsBetterIsNamed() {
    ArrivalTrace.Builder hours = new ArrivalTrace.Builder();
    SplittableRandom random = new SplittableRandom(5);
    for (int hour = 0; hour < 84; hour++) {
      for (int i = 0; i < 100; i++) {
        hours.add(Math.round((3_600.0 * hour + 58 * random.nextDouble()) * 1e9), 1);
      }
    }
    Savings savings = Savings.of(hours.build(), new ScheduleCosts(0.01, 30, 100), Machine.ONE);
    assertThat(savings.asFresh().trainingSeconds())
        .isLessThanOrEqualTo(
            savings.usual().stream()
                .filter(each -> each.meanWaitSeconds() <= savings.adaptive().meanWaitSeconds())
                .mapToDouble(Savings.Way::trainingSeconds)
                .min()
                .orElse(Double.MAX_VALUE));
  }

  @Test
  void of_fewEventsOfAYear_shortIntervalsAreTriedToo() {
    SplittableRandom random = new SplittableRandom(3);
    double[] times = random.doubles(1_000, 0, 365 * 86_400).sorted().toArray();
    ArrivalTrace year = ArrivalTrace.ofSeconds(times);
    ScheduleCosts costs = new ScheduleCosts(0, 1, 10);
    Savings savings = Savings.of(year, costs, Machine.ONE);
    assertThat(savings.asCheap().meanWaitSeconds())
        .isLessThan(3 * savings.adaptive().meanWaitSeconds());
    Savings free = Savings.of(year, new ScheduleCosts(0, 0, 10), Machine.ONE);
    assertThat(SavingsPage.html(free, "x", null)).doesNotContain("NaN").doesNotContain("Infinity");
  }

  @Test
  void of_oneArrivalOrAllAtOnce_isFinite() {
    for (ArrivalTrace trace :
        new ArrivalTrace[] {
          ArrivalTrace.of(0), ArrivalTrace.of(5, 5, 5), ArrivalTrace.ofSeconds(0, 1e6)
        }) {
      Savings savings = Savings.of(trace, COSTS, Machine.MANY);
      assertThat(savings.adaptive().meanWaitSeconds()).isBetween(2.0, 50.0);
      assertThat(SavingsPage.html(savings, "x", null))
          .doesNotContain("NaN")
          .doesNotContain("Infinity");
    }
  }
}
