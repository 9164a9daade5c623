package io.idlalayer.modelcontroller.update;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.modelcontroller.optimum.OverlapOptimum;
import io.idlalayer.modelcontroller.optimum.ScheduleCosts;
import io.idlalayer.modelcontroller.replay.ArrivalTrace;
import io.idlalayer.modelcontroller.replay.CommitAdversary;
import io.idlalayer.modelcontroller.replay.Machine;
import io.idlalayer.modelcontroller.replay.VirtualRun;
import io.idlalayer.modelcontroller.update.UpdateSettings.RuleName;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.ToIntFunction;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** Properties P7 and P8 of the update-timing spec for the learned rule and its guard. */
final class AdaptiveRulePropertyTest {
  @Provide
  Arbitrary<double[]> traces() {
    return Traces.any(60);
  }

  @Provide
  Arbitrary<ScheduleCosts> costs() {
    return Traces.costs();
  }

  private static double ratio(double[] arrivals, ScheduleCosts costs, AdaptiveRule.Mode mode) {
    double cost =
        new VirtualRun(
                RuleName.ADAPTIVE,
                new Certificate(RuleCosts.of(costs)),
                certificate -> new AdaptiveRule(certificate, mode),
                costs,
                Machine.MANY)
            .run("adaptive", ArrivalTrace.ofSeconds(arrivals))
            .cost();
    return cost / optimum(arrivals, costs);
  }

  private static double optimum(double[] arrivals, ScheduleCosts costs) {
    long[] nanos = Arrays.stream(arrivals).mapToLong(x -> Math.round(x * 1e9)).toArray();
    return OverlapOptimum.of(nanos, costs) + arrivals.length * costs.unavoidable();
  }

  private static AdaptiveRule.Mode mode(
      double rho, boolean guarded, ToIntFunction<ShadowExperts> leader) {
    return new AdaptiveRule.Mode(rho, false, guarded, leader);
  }

  @Property(tries = 1500)
  void itNeverCostsMoreThanRhoTimesTheOptimum(
      @ForAll("traces") double[] arrivals,
      @ForAll("costs") ScheduleCosts costs,
      @ForAll @DoubleRange(min = 2, max = 3) double rho) {
    assertThat(ratio(arrivals, costs, mode(rho, true, ShadowExperts::cheapest)))
        .isBetween(1 - 1e-6, rho + 1e-6);
  }

  @Property(tries = 1500)
  void theBoundHoldsForAPredictorThatGuesses(
      @ForAll("traces") double[] arrivals,
      @ForAll("costs") ScheduleCosts costs,
      @ForAll long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    int experts = UpdateRules.experts();
    assertThat(ratio(arrivals, costs, mode(2, true, each -> random.nextInt(experts))))
        .isLessThanOrEqualTo(2 + 1e-6);
  }

  @Property(tries = 1500)
  void theBoundHoldsForUploads(
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
    for (ToIntFunction<ShadowExperts> leader :
        java.util.List.<ToIntFunction<ShadowExperts>>of(
            ShadowExperts::cheapest, each -> random.nextInt(experts))) {
      double cost =
          new VirtualRun(
                  RuleName.ADAPTIVE,
                  new Certificate(RuleCosts.of(costs)),
                  certificate -> new AdaptiveRule(certificate, mode(2, true, leader)),
                  costs,
                  Machine.MANY)
              .run("adaptive", builder.build())
              .cost();
      assertThat(cost / best).isBetween(1 - 1e-6, 2 + 1e-6);
    }
  }

  /** Answers every commit with the next arrival, right behind it or after a long time. */
  @Property(tries = 400)
  void theBoundHoldsAgainstAnAdversaryThatAnswersTheLastCommit(
      @ForAll("costs") ScheduleCosts costs,
      @ForAll @IntRange(min = 1, max = 40) int rounds,
      @ForAll @IntRange(min = 1, max = 6) int burst,
      @ForAll long seed) {
    double[] arrivals = CommitAdversary.arrivals(costs, rounds, burst, seed, true);
    assertThat(ratio(arrivals, costs, mode(2, true, ShadowExperts::cheapest)))
        .isLessThanOrEqualTo(2 + 1e-6);
  }

  @Test
  void withoutItsGuardTheLearnedRuleCanBeMadeToPayMore() {
    ScheduleCosts costs = new ScheduleCosts(0, 0.01, 100);
    double[] arrivals = CommitAdversary.contrary(costs, 100, 2);
    double unguarded = ratio(arrivals, costs, mode(2, false, ShadowExperts::cheapest));
    double guarded = ratio(arrivals, costs, mode(2, true, ShadowExperts::cheapest));
    assertThat(unguarded).isGreaterThan(2.5);
    assertThat(guarded).isLessThanOrEqualTo(2 + 1e-6);
  }

  @Test
  void itStartsAsTheAreaRule() {
    ScheduleCosts costs = new ScheduleCosts(0.05, 1, 6);
    double[] few = {0, 1, 2, 3};
    double area =
        new VirtualRun(UpdateSettings.of(RuleName.AREA, 6), costs, Machine.MANY)
            .run("area", ArrivalTrace.ofSeconds(few))
            .cost();
    assertThat(ratio(few, costs, mode(2, true, ShadowExperts::cheapest)))
        .isEqualTo(area / optimum(few, costs));
  }
}
