package io.idlalayer.modelcontroller.update;

import java.util.function.ToIntFunction;

/**
 * Follows the stationary rule that would have been cheapest on the recent stream, within a proved
 * bound (update-timing, section 5). The free band [T_area, T_dla] is 2-competitive wherever it
 * fires; outside of it the guard A + C + W + kappa*n &lt;= rho*(V - C + kappa*n) must hold, with V
 * the exact optimum so far, and no group is held beyond a regret of 2C. So J &lt;= rho*J* on every
 * input when trainings may overlap, whatever is learned. Starts as the area rule.
 */
final class AdaptiveRule implements UpdateRule {
  private static final double HOLD_CAP = 2;

  private final Mode mode;
  private final Certificate certificate;
  private final ShadowExperts experts;

  private RuleCosts costs = new RuleCosts(0, 0, 0);
  private double updateCost;
  private double lambda;

  // The group at hand; seconds count from its oldest arrival.
  private int counted;
  private double sumSeconds;
  private double newestSeconds;
  private double dlaDeadline;
  private double holdDeadline;
  private double leaderDeadline;

  private double dueSeconds;

  /** The same by what brings a firing nearer in the jump of an arrival. */
  private double movingSeconds;

  private long crossedAtNanos = NEVER;
  private int crossedBatch;
  private boolean denied;
  private long denials;

  /**
   * How it works.
   *
   * @param rho bound that is kept, at least 2
   * @param oneMachine whether trainings cannot overlap: a large backlog is then split
   * @param guarded false only for tests and benchmarks of what the guard is good for
   * @param leader chooses the expert to follow after every commit; the bound holds for any choice
   */
  record Mode(
      double rho, boolean oneMachine, boolean guarded, ToIntFunction<ShadowExperts> leader) {}

  AdaptiveRule(Certificate certificate, Mode mode) {
    this.certificate = certificate;
    this.mode = mode;
    experts = new ShadowExperts(mode.oneMachine());
  }

  @Override
  public void arrived(PendingQueue pending, long nowNanos, int count) {
    experts.arrived(nowNanos, count);
    take(pending, nowNanos, count);
  }

  private void take(PendingQueue pending, long nowNanos, int count) {
    double now = pending.seconds(nowNanos);
    if (count > 1 && crossedAtNanos != nowNanos) {
      upload(nowNanos, now, count - 1);
      take(nowNanos, now);
    } else if (count > 1) {
      include(now, count);
    } else {
      take(nowNanos, now);
    }
  }

  /** All samples of an upload but its last; finds the first that makes the rule fire. O(log). */
  private void upload(long nowNanos, double now, int count) {
    Group before = group();
    int low = 1;
    int high = count + 1;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (fires(before, now, middle)) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    if (low <= count) {
      restore(before);
      if (low > 1) {
        include(now, low - 1);
        due(certificate.roomBefore(mode.rho()), now);
      }
      crossedBatch = leavesOut(now) ? counted : counted + 1;
      crossedAtNanos = nowNanos;
    }
    restore(before);
    include(now, count);
    due(certificate.roomBefore(mode.rho()), now);
  }

  private boolean fires(Group before, double now, int samples) {
    restore(before);
    if (samples == 1 && leavesOut(now)) {
      return true;
    }
    include(now, samples);
    due(certificate.roomBefore(mode.rho()), now);
    return dueSeconds <= now || movingSeconds <= now;
  }

  /** Whether the next arrival at this moment is left out of what fires. */
  private boolean leavesOut(double now) {
    return counted > 0 && (dueSeconds <= now || movingSeconds <= now + 2 * lambda);
  }

  /** The group at hand, to go back to. */
  private record Group(
      int counted,
      double sumSeconds,
      double newestSeconds,
      double dlaDeadline,
      double holdDeadline,
      double leaderDeadline,
      double dueSeconds,
      double movingSeconds) {}

  private Group group() {
    return new Group(
        counted,
        sumSeconds,
        newestSeconds,
        dlaDeadline,
        holdDeadline,
        leaderDeadline,
        dueSeconds,
        movingSeconds);
  }

  private void restore(Group group) {
    counted = group.counted;
    sumSeconds = group.sumSeconds;
    newestSeconds = group.newestSeconds;
    dlaDeadline = group.dlaDeadline;
    holdDeadline = group.holdDeadline;
    leaderDeadline = group.leaderDeadline;
    dueSeconds = group.dueSeconds;
    movingSeconds = group.movingSeconds;
  }

  /**
   * One arrival moves virtual time on by 2*lambda. What is reached inside that jump fires without
   * it, with what was known before; what only it makes possible fires with it.
   */
  private void take(long nowNanos, double now) {
    if (crossedAtNanos == nowNanos) {
      include(now, 1);
      return;
    }
    if (leavesOut(now)) {
      crossedAtNanos = nowNanos;
      crossedBatch = counted;
      dueSeconds = Math.min(dueSeconds, now);
      include(now, 1);
      return;
    }
    include(now, 1);
    due(certificate.room(mode.rho()), now);
    if (dueSeconds <= now) {
      crossedAtNanos = nowNanos;
      crossedBatch = counted;
    }
  }

  private void include(double seconds, int count) {
    int first = counted + 1;
    counted += count;
    sumSeconds += count * seconds;
    newestSeconds = seconds;
    dlaDeadline = Math.min(dlaDeadline, earliest(updateCost, seconds, first));
    holdDeadline = Math.min(holdDeadline, earliest(HOLD_CAP * updateCost, seconds, first));
    double zeta = experts.family().zeta[experts.leader()];
    if (zeta > 0) {
      leaderDeadline = Math.min(leaderDeadline, earliest(zeta * updateCost, seconds, first));
    }
  }

  /** Least x + z/k over k = first..counted; convex in k. */
  private double earliest(double z, double seconds, int first) {
    if (lambda == 0) {
      return seconds + z / counted;
    }
    int below = (int) Math.max(first, Math.min(counted, Math.floor(Math.sqrt(z / (2 * lambda)))));
    int above = Math.min(counted, below + 1);
    return seconds + Math.min(2 * lambda * below + z / below, 2 * lambda * above + z / above);
  }

  @Override
  public void committed(PendingQueue pending, int samples, long nowNanos) {
    experts.follow(mode.leader().applyAsInt(experts));
    if (denied) {
      denials++;
    }
  }

  @Override
  public void rearm(PendingQueue pending, RuleCosts now, long nowNanos) {
    costs = now;
    updateCost = now.updateCost();
    lambda = now.secondsPerSample();
    experts.costs(now);
    counted = 0;
    sumSeconds = 0;
    newestSeconds = 0;
    dlaDeadline = Double.POSITIVE_INFINITY;
    holdDeadline = Double.POSITIVE_INFINITY;
    leaderDeadline = Double.POSITIVE_INFINITY;
    crossedAtNanos = NEVER;
    dueSeconds = Double.POSITIVE_INFINITY;
    movingSeconds = Double.POSITIVE_INFINITY;
    for (int run = 0; run < pending.runs(); run++) {
      double seconds = pending.seconds(pending.timeNanos(run));
      if (pending.timeNanos(run) == nowNanos) {
        take(pending, nowNanos, pending.count(run));
      } else {
        include(seconds, pending.count(run));
      }
    }
    if (counted > 0 && crossedAtNanos == NEVER) {
      due(certificate.room(mode.rho()), pending.seconds(nowNanos));
    }
  }

  /** Follows an expert before the first commit. */
  void follow(int expert) {
    experts.follow(expert);
  }

  /** Sets when the group fires if nothing else arrives, in seconds after its oldest arrival. */
  private void due(double room, double now) {
    double s = counted;
    double jumps = lambda * s * (s - 1);
    double area = (updateCost + sumSeconds - jumps) / s;
    double dla = dlaDeadline - 2 * lambda * s;
    double hold = holdDeadline - 2 * lambda * s;
    double allowed = mode.guarded() ? (room + sumSeconds - jumps) / s : Double.POSITIVE_INFINITY;
    double limit = Math.min(Math.max(dla, allowed), hold);
    double moving = Math.max(now, leaderMoving(s, jumps));
    double leader = Math.min(moving, Math.max(now, leaderIdle(s)));
    dueSeconds = within(leader, area, allowed, limit);
    movingSeconds = within(moving, area, allowed, limit);
    denied = Math.max(now, dueSeconds) != leader;
  }

  /** The moment wanted, or the nearest that the free band, the guard and the cap leave. */
  private static double within(double wanted, double area, double allowed, double limit) {
    return wanted < area && wanted > allowed ? area : Math.min(wanted, limit);
  }

  /** When the leader fires by what an arrival brings nearer: area and regret. */
  private double leaderMoving(double s, double jumps) {
    double omega = experts.family().omega[experts.leader()];
    double area = (omega * updateCost + sumSeconds - jumps) / s;
    return Math.min(area, leaderDeadline - 2 * lambda * s);
  }

  /** When the leader fires by count, or because nothing has arrived for long. */
  private double leaderIdle(double s) {
    int leader = experts.leader();
    return s >= experts.enough(leader)
        ? newestSeconds
        : newestSeconds + experts.family().eta[leader] * updateCost / s;
  }

  @Override
  public long nextFiringNanos(PendingQueue pending) {
    if (pending.isEmpty()) {
      return NEVER;
    }
    // Seconds are rounded up to nanoseconds, but what has crossed is due at once.
    return Math.min(pending.nanos(dueSeconds), crossedAtNanos);
  }

  @Override
  public int batchSize(PendingQueue pending, long nowNanos) {
    int wanted = crossedAtNanos == nowNanos ? crossedBatch : pending.size();
    return mode.oneMachine() ? BacklogSplit.oldest(wanted, costs) : wanted;
  }

  @Override
  public double charge(PendingQueue pending, long nowNanos) {
    if (pending.isEmpty()) {
      return 0;
    }
    double s = counted;
    return s * pending.seconds(nowNanos) - sumSeconds + lambda * s * (s - 1);
  }

  @Override
  public double threshold() {
    return updateCost;
  }

  @Override
  public long denials() {
    return denials;
  }

  /** For people: the stationary rule that is followed. */
  String leaderName() {
    return experts.family().name(experts.leader());
  }

  @Override
  public String firing(PendingQueue pending, long nowNanos) {
    return "waiting has cost %.3f sample-seconds, an update costs %.3f; following: %s%s"
        .formatted(
            charge(pending, nowNanos),
            updateCost,
            leaderName(),
            denied ? ", held to its bound by the guard" : "");
  }

  @Override
  public String waiting() {
    return "waiting is still cheaper than an update; following: " + leaderName();
  }

  @Override
  public byte[] memory() {
    return experts.memory();
  }

  @Override
  public void remember(byte[] memory) {
    experts.remember(memory);
  }
}
