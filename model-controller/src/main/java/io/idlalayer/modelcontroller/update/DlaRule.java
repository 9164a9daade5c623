package io.idlalayer.modelcontroller.update;

/**
 * The source's DLA rule in virtual time (update-timing, F1 to F3): with x(t) = t + 2*lambda*N(t) it
 * fires when some split k has k*(x(t) - x_k) = zeta*C, that is at virtual time D = min_k (x_k +
 * zeta*C/k). 2-competitive for zeta = 1 when trainings may overlap.
 *
 * <p>When an arrival itself makes the rule cross, the newest samples open the next group.
 */
final class DlaRule implements UpdateRule {
  private final ThresholdDraw zeta;
  private final boolean includeNewest;

  private double lambda;
  private double threshold;

  /** D, in seconds of virtual time after the oldest arrival. */
  private double deadline = Double.POSITIVE_INFINITY;

  private int counted;
  private long crossedAtNanos = NEVER;
  private int crossedBatch;

  DlaRule(double zeta) {
    this(ThresholdDraw.fixed(zeta), false);
  }

  DlaRule(ThresholdDraw zeta, boolean includeNewest) {
    this.zeta = zeta;
    this.includeNewest = includeNewest;
  }

  @Override
  public void arrived(PendingQueue pending, long nowNanos, int count) {
    double now = pending.seconds(nowNanos);
    int older = counted;
    double before = deadline;
    include(now, count);
    if (crossedAtNanos != nowNanos && crossed(now)) {
      crossedAtNanos = nowNanos;
      int crossing = older + firstToCross(before, older, now, count);
      crossedBatch = includeNewest ? crossing : Math.max(1, crossing - 1);
    }
  }

  private boolean crossed(double seconds) {
    return deadline - 2 * lambda * counted <= seconds;
  }

  /** Which of the samples of one upload crosses, counted from 1; each brings the firing nearer. */
  private int firstToCross(double before, int older, double seconds, int count) {
    double after = deadline;
    int low = 1;
    int high = count;
    while (low < high) {
      int middle = (low + high) >>> 1;
      deadline = before;
      counted = older;
      include(seconds, middle);
      if (crossed(seconds)) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    deadline = after;
    counted = older + count;
    return low;
  }

  /** Adds {@code count} arrivals at one moment: the deadline term is convex in k, so O(1). */
  private void include(double seconds, int count) {
    int first = counted + 1;
    int last = counted + count;
    counted = last;
    if (lambda == 0) {
      deadline = Math.min(deadline, seconds + threshold / last);
      return;
    }
    double best = Math.sqrt(threshold / (2 * lambda));
    int below = (int) Math.max(first, Math.min(last, Math.floor(best)));
    int above = Math.min(last, below + 1);
    deadline = Math.min(deadline, Math.min(term(seconds, below), term(seconds, above)));
  }

  private double term(double seconds, int k) {
    return seconds + 2 * lambda * k + threshold / k;
  }

  @Override
  public void rearm(PendingQueue pending, RuleCosts costs, long nowNanos) {
    lambda = costs.secondsPerSample();
    threshold = zeta.factor() * costs.updateCost();
    deadline = Double.POSITIVE_INFINITY;
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
  public void committed(PendingQueue pending, int samples, long nowNanos) {
    zeta.committed();
  }

  @Override
  public byte[] memory() {
    return zeta.memory();
  }

  @Override
  public void remember(byte[] memory) {
    zeta.remember(memory);
  }

  @Override
  public long nextFiringNanos(PendingQueue pending) {
    if (pending.isEmpty()) {
      return NEVER;
    }
    // Seconds are rounded up to nanoseconds, but what has crossed is due at once.
    return Math.min(pending.nanos(deadline - 2 * lambda * counted), crossedAtNanos);
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
