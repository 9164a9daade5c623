package io.idlalayer.benchmarks.timing;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.modelcontroller.optimum.ScheduleCosts;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The bound of the learned rule against arrivals that answer what it does. */
final class ArrivalAdversaryTest {
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
      assertThat(AdversaryExperiment.adaptive(arrivals, costs, true))
          .as("seed %d", seed)
          .isLessThanOrEqualTo(2 + 1e-6);
    }
  }

  @Test
  void adaptive_withoutItsGuard_canBeMadeToPayMore() {
    ScheduleCosts costs = new ScheduleCosts(0, 0.01, 100);
    double[] arrivals = ArrivalAdversary.contrary(costs, 100, 2);
    assertThat(AdversaryExperiment.adaptive(arrivals, costs, false)).isGreaterThan(2.5);
    assertThat(AdversaryExperiment.adaptive(arrivals, costs, true)).isLessThanOrEqualTo(2 + 1e-6);
  }
}
