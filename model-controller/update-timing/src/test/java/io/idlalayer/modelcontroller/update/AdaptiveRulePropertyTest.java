package io.idlalayer.modelcontroller.update;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.modelcontroller.optimum.OverlapOptimum;
import io.idlalayer.modelcontroller.optimum.ScheduleCosts;
import io.idlalayer.modelcontroller.replay.ArrivalTrace;
import io.idlalayer.modelcontroller.replay.Machine;
import io.idlalayer.modelcontroller.replay.VirtualRun;
import io.idlalayer.modelcontroller.update.UpdateSettings.RuleName;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** The bound of the learned rule, for any leader and any arrivals. */
final class AdaptiveRulePropertyTest {
  @Provide
  Arbitrary<double[]> traces() {
    return Traces.any(60);
  }

  @Provide
  Arbitrary<ScheduleCosts> costs() {
    return Traces.costs();
  }

  private static double ratio(
      double[] arrivals, ScheduleCosts costs, double rho, LeaderChoice leader) {
    double cost =
        new VirtualRun(
                RuleName.ADAPTIVE,
                new Certificate(RuleCosts.of(costs)),
                certificate -> rule(certificate, rho, leader),
                costs,
                Machine.MANY)
            .run("adaptive", ArrivalTrace.ofSeconds(arrivals))
            .cost();
    return cost / optimum(arrivals, costs);
  }

  private static AdaptiveRule rule(Certificate certificate, double rho, LeaderChoice leader) {
    return new AdaptiveRule(new FreeBandGuard(certificate, rho, true), leader, false);
  }

  private static double optimum(double[] arrivals, ScheduleCosts costs) {
    long[] nanos = Arrays.stream(arrivals).mapToLong(x -> Math.round(x * 1e9)).toArray();
    return OverlapOptimum.of(nanos, costs) + arrivals.length * costs.unavoidable();
  }

  @Property(tries = 1500)
  void run_anyTrace_costsAtMostRhoTimesTheOptimum(
      @ForAll("traces") double[] arrivals,
      @ForAll("costs") ScheduleCosts costs,
      @ForAll @DoubleRange(min = 2, max = 3) double rho) {
    assertThat(ratio(arrivals, costs, rho, LeaderChoice.cheapest()))
        .isBetween(1 - 1e-6, rho + 1e-6);
  }

  @Property(tries = 1500)
  void run_guessingPredictor_keepsTheBound(
      @ForAll("traces") double[] arrivals,
      @ForAll("costs") ScheduleCosts costs,
      @ForAll long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    int experts = UpdateRules.experts();
    assertThat(ratio(arrivals, costs, 2, each -> random.nextInt(experts)))
        .isLessThanOrEqualTo(2 + 1e-6);
  }

  @Property(tries = 1500)
  void run_uploads_keepTheBound(
      @ForAll("traces") double[] arrivals,
      @ForAll("costs") ScheduleCosts costs,
      @ForAll @IntRange(min = 1, max = 40) int largest,
      @ForAll long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    int experts = UpdateRules.experts();
    ArrivalTrace.Builder builder = new ArrivalTrace.Builder();
    OverlapOptimum optimum = new OverlapOptimum(costs.secondsPerSample(), costs.updateCost());
    int samples = 0;
    for (double arrival : arrivals) {
      int count = 1 + random.nextInt(largest);
      builder.add(Math.round(arrival * 1e9), count);
      optimum.arrived(Math.round(arrival * 1e9), count);
      samples += count;
    }
    double best = optimum.cost() + samples * costs.unavoidable();
    for (LeaderChoice leader : List.of(LeaderChoice.cheapest(), each -> random.nextInt(experts))) {
      double cost =
          new VirtualRun(
                  RuleName.ADAPTIVE,
                  new Certificate(RuleCosts.of(costs)),
                  certificate -> rule(certificate, 2, leader),
                  costs,
                  Machine.MANY)
              .run("adaptive", builder.build())
              .cost();
      assertThat(cost / best).isBetween(1 - 1e-6, 2 + 1e-6);
    }
  }

  @Test
  void run_atTheStart_equalsTheAreaRule() {
    ScheduleCosts costs = new ScheduleCosts(0.05, 1, 6);
    double[] few = {0, 1, 2, 3};
    double area =
        new VirtualRun(UpdateSettings.of(RuleName.AREA, 6), costs, Machine.MANY)
            .run("area", ArrivalTrace.ofSeconds(few))
            .cost();
    assertThat(ratio(few, costs, 2, LeaderChoice.cheapest())).isEqualTo(area / optimum(few, costs));
  }
}
