package io.idlalayer.modelcontroller.update;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;

final class BacklogSplitTest {
  /** Cheapest cost of training s waiting samples one behind the other, by the literal program. */
  private static double[] cheapest(int most, RuleCosts costs) {
    double[] best = new double[most + 1];
    for (int s = 1; s <= most; s++) {
      best[s] = Double.POSITIVE_INFINITY;
      for (int first = 1; first <= s; first++) {
        // All s wait until the first update has ended.
        best[s] = Math.min(best[s], price(s, first, costs) + best[s - first]);
      }
    }
    return best;
  }

  private static double price(int waiting, int first, RuleCosts costs) {
    double p = costs.secondsPerSample() * first + costs.fixedSeconds();
    return waiting * p + costs.weight() * p;
  }

  @Property(tries = 300)
  void oldest_anyBacklog_isNearlyTheCheapest(
      @ForAll @IntRange(min = 1, max = 120) int samples,
      @ForAll @DoubleRange(min = 0, max = 1) double lambda,
      @ForAll @DoubleRange(min = 0.01, max = 5) double eps,
      @ForAll @DoubleRange(min = 0.1, max = 50) double weight) {
    RuleCosts costs = new RuleCosts(lambda, eps, weight);
    double cost = 0;
    for (int left = samples; left > 0; ) {
      int first = BacklogSplit.oldest(left, costs);
      assertThat(first).isBetween(1, left);
      cost += price(left, first, costs);
      left -= first;
    }
    double optimum = cheapest(samples, costs)[samples];
    assertThat(cost).isBetween(optimum * (1 - 1e-9), optimum * (samples < 20 ? 1.2 : 1.03));
  }
}
