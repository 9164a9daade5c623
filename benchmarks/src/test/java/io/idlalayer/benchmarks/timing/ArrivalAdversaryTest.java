package io.idlalayer.benchmarks.timing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.modelcontroller.optimum.OverlapOptimum;
import io.idlalayer.modelcontroller.optimum.ScheduleCosts;
import io.idlalayer.modelcontroller.replay.ArrivalTrace;
import io.idlalayer.modelcontroller.replay.Machine;
import io.idlalayer.modelcontroller.replay.VirtualRun;
import io.idlalayer.modelcontroller.update.UpdateRules;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import io.idlalayer.modelcontroller.update.UpdateSettings.RuleName;
import io.idlalayer.modelcontroller.update.rule.Certificate;
import io.idlalayer.modelcontroller.update.rule.RuleCosts;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The bound of the learned rule against arrivals that answer what it does. */
final class ArrivalAdversaryTest {
  private static double ratio(double[] arrivals, ScheduleCosts costs, boolean guarded) {
    UpdateSettings settings = UpdateSettings.of(RuleName.ADAPTIVE, costs.weight());
    double cost =
        new VirtualRun(
                RuleName.ADAPTIVE,
                new Certificate(RuleCosts.of(costs)),
                certificate ->
                    guarded
                        ? UpdateRules.of(settings, certificate, false)
                        : UpdateRules.unguardedAdaptive(certificate, false),
                costs,
                Machine.MANY)
            .run("adaptive", ArrivalTrace.ofSeconds(arrivals))
            .cost();
    return cost / (optimum(arrivals, costs) + arrivals.length * costs.unavoidable());
  }

  private static double optimum(double[] arrivals, ScheduleCosts costs) {
    long[] nanos = Arrays.stream(arrivals).mapToLong(x -> Math.round(x * 1e9)).toArray();
    return OverlapOptimum.of(nanos, costs);
  }

  private static ScheduleCosts anyCosts(SplittableRandom random) {
    return new ScheduleCosts(
        random.nextInt(3) == 0 ? 0 : 2 * random.nextDouble(),
        0.01 + 10 * random.nextDouble(),
        0.1 + 100 * random.nextDouble());
  }

  @Test
  void adaptive_arrivalsThatAnswerItsUpdates_staysWithinTwiceTheOptimum() {
    for (long seed = 1; seed <= 400; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      ScheduleCosts costs = anyCosts(random);
      int rounds = 1 + random.nextInt(40);
      int burst = 1 + random.nextInt(6);
      double[] arrivals = ArrivalAdversary.arrivals(costs, rounds, burst, seed, true);
      assertThat(ratio(arrivals, costs, true)).as("seed %d", seed).isLessThanOrEqualTo(2 + 1e-6);
    }
  }

  @Test
  void adaptive_withoutItsGuard_canBeMadeToPayMore() {
    ScheduleCosts costs = new ScheduleCosts(0, 0.01, 100);
    double[] arrivals = ArrivalAdversary.contrary(costs, 100, 2);
    assertThat(ratio(arrivals, costs, false)).isGreaterThan(2.5);
    assertThat(ratio(arrivals, costs, true)).isLessThanOrEqualTo(2 + 1e-6);
  }

  @Test
  void overlapSchedule_anyTrace_costsTheOptimum() {
    for (long seed = 1; seed <= 50; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      ScheduleCosts costs = anyCosts(random);
      double[] arrivals = new double[1 + random.nextInt(60)];
      for (int k = 1; k < arrivals.length; k++) {
        arrivals[k] = arrivals[k - 1] + random.nextInt(4) * random.nextDouble();
      }
      OverlapSchedule best = OverlapSchedule.of(arrivals, costs);
      double cost = best.latencySeconds() + costs.weight() * best.machineSeconds();
      double expected = optimum(arrivals, costs) + arrivals.length * costs.unavoidable();
      assertThat(cost).as("seed %d", seed).isCloseTo(expected, within(1e-6 * expected));
      assertThat(best.ends()).endsWith(arrivals.length);
    }
  }
}
