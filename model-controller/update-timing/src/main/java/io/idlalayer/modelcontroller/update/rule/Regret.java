package io.idlalayer.modelcontroller.update.rule;

import io.idlalayer.middleware.primitive.Nanos;

/**
 * Computes the regret R of the waiting samples, which is the waiting that one earlier update would
 * have saved: the largest k * (x(t) - x_k) over all k, where x_k is the virtual arrival time of the
 * k-th sample and x(t) the virtual time now.
 */
public final class Regret {
  private Regret() {}

  /**
   * Returns the largest regret over all splits, in sample-seconds; 0 if no sample waits. O(runs).
   */
  public static double largest(PendingQueue pending, long nowNanos, double lambda) {
    double largest = 0;
    int k = 0;
    for (int run = 0; run < pending.runs(); run++) {
      int first = k + 1;
      k += pending.count(run);
      double waited = Nanos.toSeconds(nowNanos - pending.timeNanos(run));
      largest = Math.max(largest, ofRun(waited, first, k, pending.size(), lambda));
    }
    return largest;
  }

  /**
   * Returns the largest regret of a split inside one run of arrivals, where the regret is k*(waited
   * + 2*lambda*(n-k)). This expression is concave in k.
   */
  private static double ofRun(double waited, int first, int last, int n, double lambda) {
    if (lambda == 0) {
      return last * waited;
    }
    double best = waited / (4 * lambda) + n / 2.0;
    int below = (int) Math.max(first, Math.min(last, Math.floor(best)));
    int above = Math.min(last, below + 1);
    return Math.max(
        below * (waited + 2 * lambda * (n - below)), above * (waited + 2 * lambda * (n - above)));
  }
}
