package io.idlalayer.modelcontroller.update.rule;

import io.idlalayer.middleware.primitive.Nanos;

/** The regret R of the samples that wait: the largest k * (x(t) - x_k) over all splits k. */
public final class Regret {
  private Regret() {}

  /** Returns the largest regret, in sample-seconds; 0 if no sample waits. O(runs). */
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

  /** k*(waited + 2*lambda*(n-k)) is concave in k. */
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
