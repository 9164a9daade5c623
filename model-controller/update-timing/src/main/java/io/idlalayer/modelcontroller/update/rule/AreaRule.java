package io.idlalayer.modelcontroller.update.rule;

/**
 * Trains when the waiting of the group has cost as much as omega updates: W reaches omega * C
 * (Dooly 2001, in virtual time: see the package's description). With omega = 1, the cost is at most
 * twice the optimum if trainings can overlap. This rule never fires later than {@link DlaRule} with
 * the same threshold.
 */
public final class AreaRule implements UpdateRule {
  private final double omega;
  private final boolean includeNewest;

  private double lambda;
  private double threshold;
  private WaitingGroup group = WaitingGroup.EMPTY;
  private long crossedAtNanos = NEVER;
  private int crossedBatch;

  /**
   * @param omega threshold in update costs, above 0
   * @param includeNewest whether the arrival that makes the rule fire is trained at once
   */
  public AreaRule(double omega, boolean includeNewest) {
    this.omega = omega;
    this.includeNewest = includeNewest;
  }

  @Override
  public void arrived(PendingQueue pending, long nowNanos, int count) {
    double now = pending.seconds(nowNanos);
    WaitingGroup older = group;
    group = older.plus(now, count);
    if (crossedAtNanos != nowNanos && firesBy(group, now)) {
      crossedAtNanos = nowNanos;
      int crossing =
          older.count()
              + CrossingSearch.first(count, samples -> firesBy(older.plus(now, samples), now));
      crossedBatch = includeNewest ? crossing : Math.max(1, crossing - 1);
    }
  }

  private boolean firesBy(WaitingGroup waiting, double seconds) {
    return waiting.areaReachedSeconds(threshold, lambda) <= seconds;
  }

  @Override
  public void rearm(PendingQueue pending, RuleCosts costs, long nowNanos) {
    lambda = costs.secondsPerSample();
    threshold = omega * costs.updateCost();
    group = WaitingGroup.EMPTY;
    crossedAtNanos = NEVER;
    for (int run = 0; run < pending.runs(); run++) {
      if (pending.timeNanos(run) == nowNanos) {
        // The rest of an upload is treated as if its samples had arrived one by one.
        arrived(pending, nowNanos, pending.count(run));
      } else {
        group = group.plus(pending.seconds(pending.timeNanos(run)), pending.count(run));
      }
    }
  }

  @Override
  public long nextFiringNanos(PendingQueue pending) {
    if (pending.isEmpty()) {
      return NEVER;
    }
    // Seconds are rounded up to nanoseconds, but a threshold that is already reached is due at
    // once.
    return Math.min(pending.nanos(group.areaReachedSeconds(threshold, lambda)), crossedAtNanos);
  }

  @Override
  public int batchSize(PendingQueue pending, long nowNanos) {
    return crossedAtNanos == nowNanos ? crossedBatch : pending.size();
  }

  @Override
  public double charge(PendingQueue pending, long nowNanos) {
    return pending.isEmpty() ? 0 : group.area(pending.seconds(nowNanos), lambda);
  }

  @Override
  public double threshold() {
    return threshold;
  }

  @Override
  public String firing(PendingQueue pending, long nowNanos) {
    return "waiting has cost %.3f sample-seconds; an update costs %.3f"
        .formatted(charge(pending, nowNanos), threshold);
  }

  @Override
  public String waiting() {
    return "waiting is still cheaper than an update";
  }
}
