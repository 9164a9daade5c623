package io.idlalayer.modelcontroller.update;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.modelcontroller.update.Overlap.Costs;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Worked examples, and the tightness that keeps the properties from being vacuous. */
final class UpdateRuleTest {
  private static final double[] T1 = {0, 1, 2, 3, 10, 11, 12, 13};
  private static final Costs T1_COSTS = new Costs(0.05, 1, 6);

  @Test
  void run_workedExampleOfTheDissertation_costs42() {
    List<Overlap.Update> updates = Overlap.run(new DlaRule(1), T1, T1_COSTS);
    assertThat(updates).hasSize(2);
    assertThat(updates.get(0).atSeconds()).isCloseTo(3.8, within(1e-6));
    assertThat(updates.get(1).atSeconds()).isCloseTo(13.8, within(1e-6));
    assertThat(Overlap.cost(updates, T1, T1_COSTS)).isCloseTo(42.4, within(1e-6));
    assertThat(Overlap.optimum(T1, T1_COSTS)).isCloseTo(36.0, within(1e-9));
  }

  @Test
  void charge_workedExample_givesItsRegrets() {
    DlaRule rule = new DlaRule(1);
    PendingQueue pending = new PendingQueue();
    rule.rearm(pending, T1_COSTS.rule(), 0);
    double[] largest = {0, 1.1, 2.2, 4.4, 28.4};
    for (int i = 0; i < 5; i++) {
      long now = Overlap.nanos(T1[i]);
      pending.add(now, 1);
      rule.arrived(pending, now, 1);
      assertThat(rule.charge(pending, now)).isCloseTo(largest[i], within(1e-9));
    }
    assertThat(rule.threshold()).isCloseTo(6, within(1e-12));
    assertThat(rule.nextFiringNanos(pending)).isLessThanOrEqualTo(10_000_000_000L);
    assertThat(rule.batchSize(pending, 10_000_000_000L)).as("the newest is left out").isEqualTo(4);
  }

  @Test
  void vectorT1_everySplitsRegretAndEveryCandidateOfTheTimer() {
    double[][] regrets = {{3.3, 4.4, 3.3}, {10.4, 18.6, 24.6, 28.4}};
    for (int n = 4; n <= 5; n++) {
      for (int k = 1; k < n; k++) {
        assertThat(regret(T1, k, n)).isCloseTo(regrets[n - 4][k - 1], within(1e-9));
      }
    }
    DlaRule rule = new DlaRule(1);
    PendingQueue pending = new PendingQueue();
    rule.rearm(pending, T1_COSTS.rule(), 0);
    double[] earliest = {6, 4, 3.9, 3.8};
    for (int i = 0; i < 4; i++) {
      long now = Overlap.nanos(T1[i]);
      pending.add(now, 1);
      rule.arrived(pending, now, 1);
      assertThat(rule.nextFiringNanos(pending) / 1e9)
          .isCloseTo(candidate(i + 1), within(1e-8))
          .isCloseTo(earliest[i], within(1e-8));
    }
  }

  /**
   * What an update after sample k of n would have saved: CalLat of all, less that of both parts.
   */
  private static double regret(double[] a, int k, int n) {
    return Overlap.calLat(a, 0, n - 1, T1_COSTS)
        - Overlap.calLat(a, 0, k - 1, T1_COSTS)
        - Overlap.calLat(a, k, n - 1, T1_COSTS);
  }

  /** The least a_k + (C - 2 lambda k (n - k)) / k. */
  private static double candidate(int n) {
    return IntStream.rangeClosed(1, n)
        .mapToDouble(k -> T1[k - 1] + (6 - 2 * 0.05 * k * (n - k)) / k)
        .min()
        .orElseThrow();
  }

  @Test
  void vectorT3_theSplitOfTwoSamplesSavesWhatTheClosedFormSays() {
    double[] two = {0, 1};
    assertThat(Overlap.calLat(two, 0, 0, T1_COSTS) + Overlap.calLat(two, 1, 1, T1_COSTS))
        .isCloseTo(2.1, within(1e-12));
    assertThat(regret(two, 1, 2))
        .isCloseTo(1.1, within(1e-12))
        .isCloseTo(1 * (1 - 0) + 2 * 0.05 * 1 * 1, within(1e-12));
  }

  @Test
  void run_freeUpdates_fireAtEveryArrival() {
    for (UpdateRule rule : new UpdateRule[] {new DlaRule(1), new AreaRule(1, false)}) {
      for (double lambda : new double[] {0, 0.1}) {
        List<Overlap.Update> updates = Overlap.run(rule, T1, new Costs(lambda, 0, 0));
        assertThat(updates).hasSize(T1.length).allMatch(update -> update.count() == 1);
        for (int i = 0; i < T1.length; i++) {
          assertThat(updates.get(i).atSeconds()).isCloseTo(T1[i], within(1e-8));
        }
      }
    }
  }

  @Test
  void run_loneSample_waitsForTheWholeThreshold() {
    double[] lone = {0};
    List<Overlap.Update> updates = Overlap.run(new DlaRule(1), lone, T1_COSTS);
    assertThat(updates.get(0).atSeconds()).isCloseTo(6.0, within(1e-9));
    assertThat(Overlap.cost(updates, lone, T1_COSTS)).isCloseTo(13.35, within(1e-9));
    assertThat(Overlap.optimum(lone, T1_COSTS)).isCloseTo(7.35, within(1e-9));
  }

  @Test
  void latency_twoSamples_isThatOfTheSource() {
    Costs costs = new Costs(0.05, 1, 6);
    assertThat(Overlap.calLat(new double[] {0, 1}, 0, 1, costs)).isCloseTo(3.2, within(1e-12));
  }

  @Test
  void run_loneSamples_reachTheBoundOfTheTotalCost() {
    double[] far = IntStream.range(0, 50).mapToDouble(i -> i * 1e5).toArray();
    for (double w : new double[] {1, 10, 100}) {
      Costs costs = new Costs(0, 1, w);
      double ratio =
          Overlap.cost(Overlap.run(new DlaRule(1), far, costs), far, costs)
              / Overlap.optimum(far, costs);
      assertThat(ratio).isCloseTo((2 * w + 1) / (w + 1), within(1e-6));
    }
  }

  @Test
  void run_twiceTheThresholdOnLoneSamples_costsThreeTimesTheOptimum() {
    double[] far = IntStream.range(0, 20).mapToDouble(i -> i * 1e6).toArray();
    Costs costs = new Costs(0, 1, 10);
    double fixed = far.length * costs.kappa();
    double ratio =
        (Overlap.cost(Overlap.run(new DlaRule(2), far, costs), far, costs) - fixed)
            / (Overlap.optimum(far, costs) - fixed);
    assertThat(ratio).isCloseTo(3.0, within(1e-6));
  }

  @Test
  void run_steadyStream_areaIsOptimalAndDlaWaitsTooLong() {
    double[] steady = IntStream.range(0, 6000).mapToDouble(i -> i).toArray();
    Costs costs = new Costs(0, 1000, 10);
    double fixed = steady.length * costs.kappa();
    double optimum = Overlap.optimum(steady, costs) - fixed;
    double area =
        Overlap.cost(Overlap.run(new AreaRule(1, false), steady, costs), steady, costs) - fixed;
    double dla = Overlap.cost(Overlap.run(new DlaRule(1), steady, costs), steady, costs) - fixed;
    assertThat(area / optimum).isBetween(1.0, 1.03);
    assertThat(dla / optimum).isBetween(1.03, 1.12);
  }

  @Test
  void periodic_afterAnIdlePeriod_keepsItsBeat() {
    BaselineRules.Periodic rule = new BaselineRules.Periodic(10);
    PendingQueue pending = new PendingQueue();
    rule.rearm(pending, T1_COSTS.rule(), 0);
    assertThat(rule.nextFiringNanos(pending)).isEqualTo(UpdateRule.NEVER);
    pending.add(5_000_000_000L, 1);
    rule.arrived(pending, 5_000_000_000L, 1);
    assertThat(rule.nextFiringNanos(pending)).isEqualTo(15_000_000_000L);
    pending.removeOldest(1);
    rule.rearm(pending, T1_COSTS.rule(), 15_000_000_000L);
    pending.add(37_000_000_000L, 1);
    rule.arrived(pending, 37_000_000_000L, 1);
    assertThat(rule.nextFiringNanos(pending)).isEqualTo(45_000_000_000L);
  }
}
