package io.idlalayer.modelcontroller.update;

import io.idlalayer.modelcontroller.optimum.ScheduleCosts;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;

/** Arrivals for which no rule was tuned, and costs of every scale. */
public final class Traces {
  private Traces() {}

  /** Arrivals in seconds with gaps of every kind: none, whole, small, heavy-tailed. */
  public static Arbitrary<double[]> any(int most) {
    Arbitrary<Double> gap =
        Arbitraries.oneOf(
            Arbitraries.just(0.0),
            Arbitraries.integers().between(0, 5).map(Integer::doubleValue),
            Arbitraries.doubles().between(0, 1),
            Arbitraries.doubles().between(0, 6).map(x -> Math.pow(10, x - 3)));
    return gap.list()
        .ofMinSize(1)
        .ofMaxSize(most)
        .map(
            gaps -> {
              double[] arrivals = new double[gaps.size()];
              double now = 0;
              for (int i = 0; i < arrivals.length; i++) {
                now += Math.round(gaps.get(i) * 1e9) / 1e9;
                arrivals[i] = now;
              }
              return arrivals;
            });
  }

  public static Arbitrary<ScheduleCosts> costs() {
    return Combinators.combine(
            Arbitraries.oneOf(Arbitraries.just(0.0), Arbitraries.doubles().between(0, 2)),
            Arbitraries.doubles().between(0.01, 10),
            Arbitraries.doubles().between(0.1, 100))
        .as(ScheduleCosts::new);
  }
}
