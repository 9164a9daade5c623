package io.idlalayer.modelcontroller.update.rule;

/**
 * Trains when one earlier update would have saved as much as zeta updates cost: the regret R of the
 * group reaches zeta * C (Rang 2021, Algorithm 3, evaluated at every moment and in virtual time:
 * see the package's description). With zeta = 1, the cost is at most twice the optimum if trainings
 * can overlap.
 */
public final class DlaRule implements UpdateRule {
  private final ThresholdDraw zeta;
  private final boolean includeNewest;

  private double lambda;
  private double threshold;
  private double deadline = RegretDeadline.NONE;
  private int counted;
  private long crossedAtNanos = NEVER;
  private int crossedBatch;

  public DlaRule(double zeta) {
    this(ThresholdDraw.fixed(zeta), false);
  }

  /**
   * @param zeta threshold in update costs
   * @param includeNewest whether the arrival that makes the rule fire is trained at once
   */
  public DlaRule(ThresholdDraw zeta, boolean includeNewest) {
    this.zeta = zeta;
    this.includeNewest = includeNewest;
  }

  @Override
  public void arrived(PendingQueue pending, long nowNanos, int count) {
    double now = pending.seconds(nowNanos);
    int older = counted;
    double before = deadline;
    include(now, count);
    if (crossedAtNanos != nowNanos && firesBy(deadline, counted, now)) {
      crossedAtNanos = nowNanos;
      int crossing =
          older
              + CrossingSearch.first(
                  count,
                  samples -> firesBy(after(before, now, older, samples), older + samples, now));
      crossedBatch = includeNewest ? crossing : Math.max(1, crossing - 1);
    }
  }

  private boolean firesBy(double virtualDeadline, int samples, double seconds) {
    return RegretDeadline.reachedSeconds(virtualDeadline, samples, lambda) <= seconds;
  }

  private void include(double seconds, int count) {
    deadline = after(deadline, seconds, counted, count);
    counted += count;
  }

  /**
   * Computes {@link RegretDeadline#after} with the additions in another order: x_k is computed
   * first. The last bit of a firing time depends on this order, and recorded runs of this rule must
   * not change.
   */
  private double after(double before, double seconds, int older, int more) {
    int last = older + more;
    if (lambda == 0) {
      return Math.min(before, seconds + threshold / last);
    }
    int below = RegretDeadline.bestSplit(threshold, lambda, older + 1, last);
    int above = Math.min(last, below + 1);
    return Math.min(before, Math.min(term(seconds, below), term(seconds, above)));
  }

  private double term(double seconds, int k) {
    double x = seconds + 2 * lambda * k;
    return x + threshold / k;
  }

  @Override
  public void rearm(PendingQueue pending, RuleCosts costs, long nowNanos) {
    lambda = costs.secondsPerSample();
    threshold = zeta.factor() * costs.updateCost();
    deadline = RegretDeadline.NONE;
    counted = 0;
    crossedAtNanos = NEVER;
    for (int run = 0; run < pending.runs(); run++) {
      if (pending.timeNanos(run) == nowNanos) {
        // The rest of an upload is treated as if its samples had arrived one by one.
        arrived(pending, nowNanos, pending.count(run));
      } else {
        include(pending.seconds(pending.timeNanos(run)), pending.count(run));
      }
    }
  }

  @Override
  public void updateStarted(PendingQueue pending, int samples, long nowNanos) {
    zeta.updated();
  }

  @Override
  public byte[] snapshot() {
    return zeta.snapshot();
  }

  @Override
  public void restore(byte[] snapshot) {
    zeta.restore(snapshot);
  }

  @Override
  public long nextFiringNanos(PendingQueue pending) {
    if (pending.isEmpty()) {
      return NEVER;
    }
    // Seconds are rounded up to nanoseconds, but a threshold that is already reached is due at
    // once.
    double due = RegretDeadline.reachedSeconds(deadline, counted, lambda);
    return Math.min(pending.nanos(due), crossedAtNanos);
  }

  @Override
  public int batchSize(PendingQueue pending, long nowNanos) {
    return crossedAtNanos == nowNanos ? crossedBatch : pending.size();
  }

  @Override
  public double charge(PendingQueue pending, long nowNanos) {
    return Regret.largest(pending, nowNanos, lambda);
  }

  @Override
  public double threshold() {
    return threshold;
  }

  @Override
  public String firing(PendingQueue pending, long nowNanos) {
    return "an earlier update would have saved %.3f sample-seconds; one more costs %.3f"
        .formatted(charge(pending, nowNanos), threshold);
  }

  @Override
  public String waiting() {
    return "waiting is still cheaper than an update";
  }
}
