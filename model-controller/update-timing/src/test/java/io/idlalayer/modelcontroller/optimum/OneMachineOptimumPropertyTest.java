package io.idlalayer.modelcontroller.optimum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.modelcontroller.update.Traces;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

/** The optimum on one machine is that of all partitions. */
final class OneMachineOptimumPropertyTest {
  private static final long BUDGET = 10_000_000;

  @Provide
  Arbitrary<double[]> traces() {
    return Traces.any(11);
  }

  @Provide
  Arbitrary<ScheduleCosts> costs() {
    return Traces.costs();
  }

  @Provide
  Arbitrary<double[]> tinyTraces() {
    return Traces.any(6);
  }

  @Provide
  Arbitrary<double[]> longTraces() {
    return Traces.any(80);
  }

  private static void assertSame(double found, double expected) {
    assertThat(found).isCloseTo(expected, within(1e-9 * (1 + Math.abs(expected)) + 1e-9));
  }

  private static double solve(double[] a, ScheduleCosts costs, double known) {
    OneMachineOptimum.Result result = OneMachineOptimum.of(a, costs, known, BUDGET);
    assertThat(result.exact()).isTrue();
    return result.cost();
  }

  @Property(tries = 300)
  void of_anyTrace_isTheBestOfAllContiguousBatches(
      @ForAll("traces") double[] a, @ForAll("costs") ScheduleCosts costs) {
    double expected = Schedules.brute(a, costs, true);
    assertSame(solve(a, costs, Double.POSITIVE_INFINITY), expected);
    assertSame(solve(a, costs, expected), expected);
    assertSame(solve(a, costs, expected * 1.3), expected);
  }

  @Property(tries = 100)
  void of_tinyTrace_noOtherOrderIsCheaper(
      @ForAll("tinyTraces") double[] a, @ForAll("costs") ScheduleCosts costs) {
    assertSame(solve(a, costs, Double.POSITIVE_INFINITY), Schedules.anyOrder(a, costs));
  }

  @Property(tries = 200)
  void of_longTrace_costsAtLeastTheOverlappingOptimum(
      @ForAll("longTraces") double[] a, @ForAll("costs") ScheduleCosts costs) {
    double overlap = Schedules.prefixes(a, costs)[a.length];
    assertThat(solve(a, costs, Double.POSITIVE_INFINITY))
        .isGreaterThanOrEqualTo(overlap - 1e-9 * (1 + Math.abs(overlap)));
  }

  @Test
  void of_exhaustedBudget_returnsTheBound() {
    double[] a = new double[500];
    for (int k = 0; k < a.length; k++) {
      a[k] = k * 0.1;
    }
    ScheduleCosts costs = new ScheduleCosts(0.2, 1, 1);
    OneMachineOptimum.Result result =
        OneMachineOptimum.of(a, costs, Double.POSITIVE_INFINITY, 1_000);
    assertThat(result.exact()).isFalse();
    assertThat(result.cost()).isCloseTo(Schedules.prefixes(a, costs)[a.length], within(1e-6));
  }
}
