package io.idlalayer.modelcontroller.update.adaptive;

import io.idlalayer.modelcontroller.update.rule.CrossingSearch;
import io.idlalayer.modelcontroller.update.rule.PendingQueue;
import io.idlalayer.modelcontroller.update.rule.RegretDeadline;
import io.idlalayer.modelcontroller.update.rule.RuleCosts;
import io.idlalayer.modelcontroller.update.rule.UpdateRule;
import io.idlalayer.modelcontroller.update.rule.WaitingGroup;

/**
 * Follows the stationary rule that would have been cheapest on the recent stream, within a proved
 * bound: the cost of the adaptive rule is at most rho times the optimum, J &lt;= rho * J*. The
 * bound holds on every input if trainings can overlap, whichever rule is followed (see the
 * description of the package {@code update.rule}). At first it follows the area rule, or on one
 * machine a rule that trains earlier.
 *
 * <p>The rule has three parts. {@link ShadowExperts} computes what every stationary rule would have
 * cost. After every update, a {@link LeaderChoice} chooses the stationary rule to follow, the
 * leader. {@link FreeBandGuard} moves the firing times of the leader to times that keep the bound.
 */
public final class AdaptiveRule implements UpdateRule {
  private final boolean oneMachine;
  private final FreeBandGuard guard;
  private final LeaderChoice leaderChoice;
  private final ShadowExperts experts;

  private RuleCosts costs = new RuleCosts(0, 0, 0);
  private double lambda;
  private Group group = Group.EMPTY;
  private long crossedAtNanos = NEVER;
  private int crossedBatch;
  private long denials;

  /**
   * The time at which a group is trained if nothing else arrives, in seconds after its oldest
   * arrival.
   *
   * @param dueSeconds earliest time for any reason
   * @param jumpSeconds earliest time because of area or regret; each arrival brings this time
   *     nearer by 2 * lambda
   * @param denied whether the guard changed the time at which the leader would fire
   */
  private record Firing(double dueSeconds, double jumpSeconds, boolean denied) {
    static final Firing NONE =
        new Firing(Double.POSITIVE_INFINITY, Double.POSITIVE_INFINITY, false);

    Firing dueNow(double now) {
      return new Firing(Math.min(dueSeconds, now), jumpSeconds, denied);
    }
  }

  /**
   * The waiting samples, and the deadlines that decide when they are trained. Immutable.
   *
   * @param dlaDeadline {@link RegretDeadline} for the threshold C
   * @param holdDeadline deadline of the cap on holding
   * @param leaderDeadline deadline of the leader's threshold; none if the leader ignores the regret
   * @param firing the firing as computed last, possibly without the latest arrivals
   */
  private record Group(
      WaitingGroup samples,
      double dlaDeadline,
      double holdDeadline,
      double leaderDeadline,
      Firing firing) {
    static final Group EMPTY =
        new Group(
            WaitingGroup.EMPTY,
            RegretDeadline.NONE,
            RegretDeadline.NONE,
            RegretDeadline.NONE,
            Firing.NONE);

    Group with(Firing other) {
      return new Group(samples, dlaDeadline, holdDeadline, leaderDeadline, other);
    }

    /** Returns whether an arrival at this time would come too late for the update that is due. */
    boolean leavesNextOut(double now, double lambda) {
      return samples.count() > 0
          && (firing.dueSeconds() <= now || firing.jumpSeconds() <= now + 2 * lambda);
    }

    boolean firesBy(double now) {
      return firing.dueSeconds() <= now || firing.jumpSeconds() <= now;
    }
  }

  /**
   * @param oneMachine whether trainings cannot overlap: a large backlog is then split
   */
  public AdaptiveRule(FreeBandGuard guard, LeaderChoice leaderChoice, boolean oneMachine) {
    this.guard = guard;
    this.leaderChoice = leaderChoice;
    this.oneMachine = oneMachine;
    experts = new ShadowExperts(oneMachine);
  }

  @Override
  public void arrived(PendingQueue pending, long nowNanos, int count) {
    experts.arrived(nowNanos, count);
    take(pending, nowNanos, count);
  }

  private void take(PendingQueue pending, long nowNanos, int count) {
    double now = pending.seconds(nowNanos);
    if (crossedAtNanos == nowNanos) {
      group = plus(group, now, count);
      return;
    }
    if (count > 1) {
      takeAllButLast(nowNanos, now, count - 1);
    }
    takeOne(nowNanos, now);
  }

  /**
   * Adds all samples of an upload but the last one, and finds the first of these samples that makes
   * the rule fire.
   */
  private void takeAllButLast(long nowNanos, double now, int count) {
    // If a group leaves its newest sample out, the guard uses the certificate as of before this
    // sample.
    double largestArea = guard.largestArea(true);
    Group before = group;
    int first =
        CrossingSearch.first(
            count + 1,
            samples ->
                (samples == 1 && before.leavesNextOut(now, lambda))
                    || timed(plus(before, now, samples), largestArea, now).firesBy(now));
    if (first <= count) {
      Group smaller = first == 1 ? before : timed(plus(before, now, first - 1), largestArea, now);
      int older = smaller.samples().count();
      crossedBatch = smaller.leavesNextOut(now, lambda) ? older : older + 1;
      crossedAtNanos = nowNanos;
    }
    group = timed(plus(before, now, count), largestArea, now);
  }

  /**
   * Adds one arrival, which moves virtual time on by 2 * lambda, with lambda the seconds that one
   * more sample adds to a training. If the group becomes due inside this jump, the group is trained
   * without the arrival, and the guard uses the certificate as of before the arrival. If only the
   * arrival makes the group due, the group is trained with the arrival.
   */
  private void takeOne(long nowNanos, double now) {
    if (crossedAtNanos == nowNanos) {
      group = plus(group, now, 1);
    } else if (group.leavesNextOut(now, lambda)) {
      crossedAtNanos = nowNanos;
      crossedBatch = group.samples().count();
      group = plus(group.with(group.firing().dueNow(now)), now, 1);
    } else {
      group = timed(plus(group, now, 1), guard.largestArea(false), now);
      if (group.firing().dueSeconds() <= now) {
        crossedAtNanos = nowNanos;
        crossedBatch = group.samples().count();
      }
    }
  }

  /** Returns the group after further arrivals at one time, with its firing unchanged. */
  private Group plus(Group before, double seconds, int count) {
    int older = before.samples().count();
    double updateCost = costs.updateCost();
    double zeta = experts.leaderRule().zeta();
    return new Group(
        before.samples().plus(seconds, count),
        RegretDeadline.after(before.dlaDeadline(), updateCost, lambda, seconds, older, count),
        RegretDeadline.after(
            before.holdDeadline(),
            FreeBandGuard.HOLD_CAP * updateCost,
            lambda,
            seconds,
            older,
            count),
        zeta > 0
            ? RegretDeadline.after(
                before.leaderDeadline(), zeta * updateCost, lambda, seconds, older, count)
            : before.leaderDeadline(),
        before.firing());
  }

  /**
   * Returns the group with its firing computed anew, under the assumption that nothing else
   * arrives.
   */
  private Group timed(Group waiting, double largestArea, double now) {
    FreeBandGuard.Bounds bounds =
        FreeBandGuard.bounds(
            waiting.samples(), costs, largestArea, waiting.dlaDeadline(), waiting.holdDeadline());
    double jump = Math.max(now, leaderJumpSeconds(waiting));
    double wanted = Math.min(jump, Math.max(now, leaderTimerSeconds(waiting.samples())));
    double due = bounds.nearest(wanted);
    boolean denied = Math.max(now, due) != wanted;
    return waiting.with(new Firing(due, bounds.nearest(jump), denied));
  }

  /**
   * Returns the time at which the leader fires because of the area or the regret, which every
   * arrival brings nearer.
   */
  private double leaderJumpSeconds(Group waiting) {
    double limit = experts.leaderRule().omega() * costs.updateCost();
    double regret =
        RegretDeadline.reachedSeconds(waiting.leaderDeadline(), waiting.samples().count(), lambda);
    return Math.min(waiting.samples().areaReachedSeconds(limit, lambda), regret);
  }

  /**
   * Returns the time at which the leader fires because of the number of samples, or because nothing
   * has arrived for a long time.
   */
  private double leaderTimerSeconds(WaitingGroup samples) {
    double s = samples.count();
    return s >= experts.leaderCount()
        ? samples.newestSeconds()
        : samples.newestSeconds() + experts.leaderRule().eta() * costs.updateCost() / s;
  }

  @Override
  public void updateStarted(PendingQueue pending, int samples, long nowNanos) {
    experts.follow(leaderChoice.choose(experts));
    if (group.firing().denied()) {
      denials++;
    }
  }

  @Override
  public void rearm(PendingQueue pending, RuleCosts now, long nowNanos) {
    costs = now;
    lambda = now.secondsPerSample();
    experts.costs(now);
    group = Group.EMPTY;
    crossedAtNanos = NEVER;
    for (int run = 0; run < pending.runs(); run++) {
      if (pending.timeNanos(run) == nowNanos) {
        take(pending, nowNanos, pending.count(run));
      } else {
        group = plus(group, pending.seconds(pending.timeNanos(run)), pending.count(run));
      }
    }
    if (group.samples().count() > 0 && crossedAtNanos == NEVER) {
      group = timed(group, guard.largestArea(false), pending.seconds(nowNanos));
    }
  }

  /**
   * Makes this rule follow the given stationary rule from the start, even before the first update.
   */
  public void follow(int expert) {
    experts.follow(expert);
  }

  @Override
  public long nextFiringNanos(PendingQueue pending) {
    if (pending.isEmpty()) {
      return NEVER;
    }
    // Seconds are rounded up to nanoseconds, but a threshold that is already reached is due at
    // once.
    return Math.min(pending.nanos(group.firing().dueSeconds()), crossedAtNanos);
  }

  @Override
  public int batchSize(PendingQueue pending, long nowNanos) {
    int wanted = crossedAtNanos == nowNanos ? crossedBatch : pending.size();
    return oneMachine ? BacklogSplit.oldest(wanted, costs) : wanted;
  }

  @Override
  public double charge(PendingQueue pending, long nowNanos) {
    return pending.isEmpty() ? 0 : group.samples().area(pending.seconds(nowNanos), lambda);
  }

  @Override
  public double threshold() {
    return costs.updateCost();
  }

  @Override
  public long denials() {
    return denials;
  }

  /** Returns the displayed name of the stationary rule that is followed. */
  String leaderName() {
    return experts.leaderRule().name();
  }

  @Override
  public String firing(PendingQueue pending, long nowNanos) {
    return "waiting has cost %.3f sample-seconds, an update costs %.3f; following: %s%s"
        .formatted(
            charge(pending, nowNanos),
            costs.updateCost(),
            leaderName(),
            group.firing().denied() ? ", held to its bound by the guard" : "");
  }

  @Override
  public String waiting() {
    return "waiting is still cheaper than an update; following: " + leaderName();
  }

  @Override
  public byte[] snapshot() {
    return experts.snapshot();
  }

  @Override
  public void restore(byte[] snapshot) {
    experts.restore(snapshot);
  }
}
