package io.idlalayer.modelcontroller.update;

/**
 * The area rule of Dooly, Goldman and Scott in virtual time (update-timing, 4.4): fires when the
 * total waiting W(t) = sum (t - a_k) + lambda*s*(s-1) reaches omega*C, that is at T = (omega*C +
 * sum a - lambda*s*(s-1)) / s. 2-competitive for omega = 1; never later than {@link DlaRule}.
 *
 * <p>When an arrival itself makes the rule cross, the newest samples open the next group.
 */
final class AreaRule implements UpdateRule {
  private final double omega;
  private final boolean includeNewest;

  private double lambda;
  private double threshold;
  private double sumSeconds;
  private int counted;
  private long crossedAtNanos = NEVER;
  private int crossedBatch;

  AreaRule(double omega, boolean includeNewest) {
    this.omega = omega;
    this.includeNewest = includeNewest;
  }

  @Override
  public void arrived(PendingQueue pending, long nowNanos, int count) {
    double now = pending.seconds(nowNanos);
    int older = counted;
    double before = sumSeconds;
    include(now, count);
    if (crossedAtNanos != nowNanos && due(counted, sumSeconds) <= now) {
      crossedAtNanos = nowNanos;
      int crossing = older + firstToCross(before, older, now, count);
      crossedBatch = includeNewest ? crossing : Math.max(1, crossing - 1);
    }
  }

  private void include(double seconds, int count) {
    sumSeconds += count * seconds;
    counted += count;
  }

  /** Which of the samples of one upload crosses, counted from 1; each brings the firing nearer. */
  private int firstToCross(double before, int older, double seconds, int count) {
    int low = 1;
    int high = count;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (due(older + middle, before + middle * seconds) <= seconds) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  @Override
  public void rearm(PendingQueue pending, RuleCosts costs, long nowNanos) {
    lambda = costs.secondsPerSample();
    threshold = omega * costs.updateCost();
    sumSeconds = 0;
    counted = 0;
    crossedAtNanos = NEVER;
    for (int run = 0; run < pending.runs(); run++) {
      if (pending.timeNanos(run) == nowNanos) {
        // What is left of an upload crosses again where its samples one by one would.
        arrived(pending, nowNanos, pending.count(run));
      } else {
        include(pending.seconds(pending.timeNanos(run)), pending.count(run));
      }
    }
  }

  @Override
  public long nextFiringNanos(PendingQueue pending) {
    if (pending.isEmpty()) {
      return NEVER;
    }
    // Seconds are rounded up to nanoseconds, but what has crossed is due at once.
    return Math.min(pending.nanos(due(counted, sumSeconds)), crossedAtNanos);
  }

  /** Seconds after the oldest arrival at which the area of {@code samples} is reached. */
  private double due(int samples, double sumOfArrivals) {
    double s = samples;
    return (threshold + sumOfArrivals - lambda * s * (s - 1)) / s;
  }

  @Override
  public int batchSize(PendingQueue pending, long nowNanos) {
    return crossedAtNanos == nowNanos ? crossedBatch : pending.size();
  }

  @Override
  public double charge(PendingQueue pending, long nowNanos) {
    if (pending.isEmpty()) {
      return 0;
    }
    double s = pending.size();
    return s * pending.seconds(nowNanos) - sumSeconds + lambda * s * (s - 1);
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
