package io.idlalayer.modelcontroller.update.rule;

/**
 * Algorithm 3 of Rang 2021 (chapter 5) word for word, for comparisons with the other rules. On the
 * arrival of sample n the rule looks for a split k = 2..n-1 with CalLat(1,n) - CalLat(1,k) -
 * CalLat(k+1,n) > w*eps, which is k*(x_n - x_k) > C, and if there is such a split, the rule trains
 * all n samples. The rule has no timer, so its cost is not bounded by any multiple of the optimum:
 * if two samples arrive far apart, the first waits until the second arrives.
 */
public final class PaperRule implements UpdateRule {
  private double lambda;
  private double updateCost;

  /**
   * Deadline by which the rule decides: the lowest x_k + C/k over the splits k = 2..n-1, in seconds
   * of virtual time after the oldest arrival.
   */
  private double deadline;

  private int counted;
  private long firedAtNanos = NEVER;
  private int firedBatch;

  @Override
  public void arrived(PendingQueue pending, long nowNanos, int count) {
    double now = pending.seconds(nowNanos);
    for (int i = 0; i < count; i++) {
      counted++;
      double x = now + 2 * lambda * counted;
      if (x > deadline && firedAtNanos != nowNanos) {
        firedAtNanos = nowNanos;
        firedBatch = counted;
      }
      include(x);
    }
  }

  private void include(double x) {
    if (counted >= 2) {
      deadline = Math.min(deadline, x + updateCost / counted);
    }
  }

  @Override
  public void rearm(PendingQueue pending, RuleCosts costs, long nowNanos) {
    lambda = costs.secondsPerSample();
    updateCost = costs.updateCost();
    deadline = Double.POSITIVE_INFINITY;
    counted = 0;
    firedAtNanos = NEVER;
    for (int run = 0; run < pending.runs(); run++) {
      if (pending.timeNanos(run) == nowNanos) {
        arrived(pending, nowNanos, pending.count(run));
      } else {
        double seconds = pending.seconds(pending.timeNanos(run));
        for (int i = 0; i < pending.count(run); i++) {
          counted++;
          include(seconds + 2 * lambda * counted);
        }
      }
    }
  }

  @Override
  public long nextFiringNanos(PendingQueue pending) {
    return pending.isEmpty() || firedAtNanos != pending.newestNanos(NEVER) ? NEVER : firedAtNanos;
  }

  @Override
  public int batchSize(PendingQueue pending, long nowNanos) {
    return firedAtNanos == nowNanos ? firedBatch : pending.size();
  }

  @Override
  public double threshold() {
    return updateCost;
  }

  @Override
  public String firing(PendingQueue pending, long nowNanos) {
    return "this arrival's regret is above %.3f sample-seconds".formatted(updateCost);
  }

  @Override
  public String waiting() {
    return "no arrival has made the regret exceed the cost of an update";
  }
}
