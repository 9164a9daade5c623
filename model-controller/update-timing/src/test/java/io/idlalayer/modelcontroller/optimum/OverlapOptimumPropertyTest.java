package io.idlalayer.modelcontroller.optimum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.modelcontroller.update.Traces;
import java.util.Arrays;
import java.util.SplittableRandom;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

/** The optimum where trainings may overlap is that of all partitions. */
final class OverlapOptimumPropertyTest {

  @Provide
  Arbitrary<double[]> traces() {
    return Traces.any(60);
  }

  @Provide
  Arbitrary<ScheduleCosts> costs() {
    return Traces.costs();
  }

  @Provide
  Arbitrary<double[]> shortTraces() {
    return Traces.any(12);
  }

  private static double solved(double[] a, ScheduleCosts costs) {
    return OverlapOptimum.of(nanos(a), costs);
  }

  private static long[] nanos(double[] a) {
    return Arrays.stream(a).mapToLong(x -> Math.round(x * 1e9)).toArray();
  }

  private static void assertSame(double found, double expected) {
    assertThat(found).isCloseTo(expected, within(1e-9 * (1 + Math.abs(expected)) + 1e-7));
  }

  @Property(tries = 500)
  void cost_shortTrace_isTheBestOfAllPartitions(
      @ForAll("shortTraces") double[] a, @ForAll("costs") ScheduleCosts costs) {
    assertSame(solved(a, costs), Schedules.brute(a, costs, false));
  }

  @Property(tries = 500)
  void cost_everyPrefix_isSolvedAndNeverFalls(
      @ForAll("traces") double[] a, @ForAll("costs") ScheduleCosts costs) {
    double[] expected = Schedules.prefixes(a, costs);
    OverlapOptimum online = new OverlapOptimum(costs.secondsPerSample(), costs.updateCost());
    double before = 0;
    for (int k = 0; k < a.length; k++) {
      online.arrived(Math.round(a[k] * 1e9), 1);
      assertSame(online.cost(), expected[k + 1]);
      assertThat(online.cost()).isGreaterThanOrEqualTo(before - 1e-9 * (1 + before));
      before = online.cost();
    }
  }

  @Property(tries = 300)
  void arrived_upload_equalsItsSamplesOneByOne(
      @ForAll("traces") double[] a, @ForAll("costs") ScheduleCosts costs) {
    OverlapOptimum one = new OverlapOptimum(costs.secondsPerSample(), costs.updateCost());
    OverlapOptimum bulk = new OverlapOptimum(costs.secondsPerSample(), costs.updateCost());
    for (int k = 0; k < a.length; k++) {
      long nanos = Math.round(a[k] * 1e9);
      int count = 1 + k % 7;
      bulk.arrived(nanos, count);
      for (int i = 0; i < count; i++) {
        one.arrived(nanos, 1);
      }
      assertSame(bulk.cost(), one.cost());
    }
  }

  @Property(tries = 300)
  void suffixOptimum_everySuffix_isSolved(
      @ForAll("traces") double[] a, @ForAll("costs") ScheduleCosts costs) {
    double[] x = new double[a.length];
    for (int k = 0; k < x.length; k++) {
      x[k] = a[k] + 2 * costs.secondsPerSample() * k;
    }
    SuffixOptimum suffix = new SuffixOptimum(x, costs.updateCost());
    for (int first = 0; first < a.length; first++) {
      double[] rest = Arrays.copyOfRange(a, first, a.length);
      assertSame(suffix.cost[first], solved(rest, costs));
    }
  }

  @Test
  void cost_streamOfMonths_keepsItsPrecision() {
    // Days of bursts at an epoch of today: a prefix sum would have lost everything below a second.
    SplittableRandom random = new SplittableRandom(3);
    ScheduleCosts costs = new ScheduleCosts(0.01, 0.5, 10);
    OverlapOptimum online = new OverlapOptimum(costs.secondsPerSample(), costs.updateCost());
    long day = 86_400_000_000_000L;
    double sum = 0;
    for (int burst = 0; burst < 300; burst++) {
      double[] a = new double[100];
      double now = 0;
      for (int k = 0; k < a.length; k++) {
        now += random.nextDouble(0.2);
        a[k] = Math.round(now * 1e9) / 1e9;
        online.arrived(1_700_000_000_000_000_000L + burst * 30L * day + Math.round(a[k] * 1e9), 1);
      }
      sum += Schedules.prefixes(a, costs)[a.length];
    }
    assertThat(online.cost()).isCloseTo(sum, within(1e-8 * sum));
    assertThat(online.lines()).isLessThan(2_000);
  }

  @Test
  void cost_workedExampleOfTheDissertation_is36() {
    double[] a = {0, 1, 2, 3, 10, 11, 12, 13};
    ScheduleCosts costs = new ScheduleCosts(0.05, 1, 6);
    assertThat(solved(a, costs) + a.length * costs.unavoidable()).isCloseTo(36.0, within(1e-9));
  }
}
