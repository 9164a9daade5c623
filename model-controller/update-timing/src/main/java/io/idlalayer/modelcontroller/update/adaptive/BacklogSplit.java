package io.idlalayer.modelcontroller.update.adaptive;

import io.idlalayer.modelcontroller.update.rule.RuleCosts;

/**
 * Computes how many of the oldest samples to train first when many wait for one machine. K updates
 * of the sizes m_b = s/K + (eps/lambda)*((K+1)/2 - b), one after the other, cost
 * lambda*s^2*(1+1/K)/2 - eps^2*K*(K^2-1)/(24*lambda) + eps*s*(K+1)/2 + w*eps*K. The best K for
 * which m_K is at least 1 gives the size of the first update; after this update, the rest is
 * divided anew.
 */
final class BacklogSplit {
  /** Least size of an update that counts as one sample, because sizes are rounded. */
  private static final double SMALLEST = 0.5;

  private BacklogSplit() {}

  /** Returns the number of samples of the first update, between 1 and {@code samples}. */
  static int oldest(int samples, RuleCosts costs) {
    double lambda = costs.secondsPerSample();
    double eps = costs.fixedSeconds();
    if (lambda <= 0 || samples < 2) {
      return samples;
    }
    double s = samples;
    int best = 1;
    double least = cost(1, s, costs);
    // The cost is convex in K as long as the smallest update has at least one sample.
    for (int k = 2; s / k - eps / lambda * (k - 1) / 2 >= SMALLEST; k++) {
      double next = cost(k, s, costs);
      if (next >= least) {
        break;
      }
      least = next;
      best = k;
    }
    double first = s / best + eps / lambda * (best - 1) / 2;
    return (int) Math.max(1, Math.min(samples, Math.round(first)));
  }

  private static double cost(int k, double s, RuleCosts costs) {
    double lambda = costs.secondsPerSample();
    double eps = costs.fixedSeconds();
    return lambda * s * s * (1 + 1.0 / k) / 2
        - eps * eps * k * ((double) k * k - 1) / (24 * lambda)
        + eps * s * (k + 1) / 2
        + costs.updateCost() * k;
  }
}
