package io.idlalayer.modelcontroller.update.adaptive;

import io.idlalayer.modelcontroller.update.rule.RuleCosts;
import java.util.Arrays;
import java.util.function.ToDoubleFunction;

/**
 * Simulates all stationary rules of a family side by side: the open group of waiting samples of
 * each rule, when the rule fires, and the cost of its updates. There is one array for each
 * quantity, with one entry for each rule, so that one loop without branches advances the rules that
 * do not fire.
 *
 * <p>Virtual time: the waiting W of a group of s samples grows by s with every second and by 2 *
 * lambda * s with every arrival. Costs are in units of C, so that the history stays comparable when
 * the estimate of C changes. With each arrival, earlier costs lose weight relative to later costs.
 * Not thread-safe.
 */
final class ExpertArrays {
  /**
   * Number of arrivals after which a cost has half its weight. In measurements, values from 200 to
   * 5,000 made hardly a difference.
   */
  private static final double HALF_LIFE_ARRIVALS = 1000;

  private static final double GROWTH_PER_ARRIVAL = Math.pow(2, 1 / HALF_LIFE_ARRIVALS);

  /** Weight at which all costs are scaled down. It is far from overflow and rarely reached. */
  private static final double LARGEST_WEIGHT = 1e200;

  /**
   * Largest number of arrivals by which one upload discounts earlier costs. After this number of
   * arrivals, the weight of earlier costs is already negligible.
   */
  private static final int MOST_FORGOTTEN = 100_000;

  private final ExpertFamily family;
  private final boolean oneMachine;
  private final int size;

  /**
   * Number of rules that ignore the regret and use only area, count and idle time. They are the
   * first rules of the family.
   */
  private final int withoutRegret;

  // The open groups.
  private final double[] waiting;
  private final double[] samples;

  /**
   * Virtual seconds until the regret of the open group reaches its threshold; infinite for rules
   * that ignore the regret.
   */
  private final double[] deadline;

  /** Seconds from the latest arrival until the machine is free. */
  private final double[] machineFree;

  /** True for a rule whose group has enough samples while the machine is busy. */
  private final boolean[] overdue;

  private int overdueCount;

  // The rules' parameters.
  private final double[] omega;
  private final double[] beta;
  private final double[] eta;
  private final double[] zeta;

  // The limits at which the rules fire, for the present costs.
  private final double[] areaLimit;
  private final double[] idleLimit;
  private final double[] countLimit;

  /** Discounted cost of each rule's past updates, to be divided by {@link #weight}. */
  private final double[] cost;

  /** Weight of a cost that arises now, relative to the costs in {@link #cost}. */
  private double weight = 1;

  private RuleCosts costs = new RuleCosts(0, 0, 0);
  private double updatesPerSampleSecond;

  /**
   * @param oneMachine whether a rule waits until its last training has ended
   */
  ExpertArrays(ExpertFamily family, boolean oneMachine) {
    this.family = family;
    this.oneMachine = oneMachine;
    size = family.size();
    withoutRegret = family.immediate();
    omega = column(StationaryRule::omega);
    beta = column(StationaryRule::beta);
    eta = column(StationaryRule::eta);
    zeta = column(StationaryRule::zeta);
    waiting = new double[size];
    samples = new double[size];
    deadline = new double[size];
    machineFree = new double[size];
    overdue = new boolean[size];
    areaLimit = new double[size];
    idleLimit = new double[size];
    countLimit = new double[size];
    cost = new double[size];
    Arrays.fill(deadline, Double.POSITIVE_INFINITY);
    Arrays.fill(countLimit, Double.POSITIVE_INFINITY);
    countLimit[family.immediate()] = 1;
  }

  private double[] column(ToDoubleFunction<StationaryRule> parameter) {
    double[] values = new double[size];
    Arrays.setAll(values, e -> parameter.applyAsDouble(family.rule(e)));
    return values;
  }

  /** Sets the costs that the rules charge from now on. */
  void costs(RuleCosts now) {
    costs = now;
    updatesPerSampleSecond = now.updateCost() > 0 ? 1 / now.updateCost() : 0;
    for (int e = 0; e < size; e++) {
      areaLimit[e] = omega[e] * now.updateCost();
      idleLimit[e] = eta[e] * now.updateCost();
    }
  }

  /** Sets the numbers of samples at which the count rules fire. */
  void countLimits(GapMeans gaps) {
    double fast = gaps.cheapestBatch(GapMeans.FAST, costs);
    double slow = gaps.cheapestBatch(GapMeans.SLOW, costs);
    for (int e = family.firstCount(); e < family.firstSlowCount(); e++) {
      countLimit[e] = beta[e] * fast;
    }
    for (int e = family.firstSlowCount(); e < family.immediate(); e++) {
      countLimit[e] = beta[e] * slow;
    }
  }

  /** Reduces the weight of all earlier costs, as after one arrival. */
  void discountOne() {
    weight *= GROWTH_PER_ARRIVAL;
    if (weight > LARGEST_WEIGHT) {
      for (int e = 0; e < size; e++) {
        cost[e] /= weight;
      }
      weight = 1;
    }
  }

  /** Reduces the weight of all earlier costs, as after a number of arrivals. */
  void discount(int arrivals) {
    weight *= Math.pow(GROWTH_PER_ARRIVAL, Math.min(arrivals, MOST_FORGOTTEN));
  }

  /** Advances all rules to one arrival, {@code gap} seconds after the latest. O(size). */
  void arriveOne(double gap) {
    double virtualGap = gap + 2 * costs.secondsPerSample();
    if (overdueCount == 0 && noneFires(gap, virtualGap)) {
      for (int e = 0; e < withoutRegret; e++) {
        waiting[e] += samples[e] * virtualGap;
        samples[e] += 1;
      }
    } else {
      for (int e = 0; e < withoutRegret; e++) {
        advance(e, gap, virtualGap);
      }
    }
    for (int e = withoutRegret; e < size; e++) {
      advance(e, gap, virtualGap);
    }
    if (oneMachine) {
      for (int e = 0; e < size; e++) {
        machineFree[e] -= gap;
      }
    }
  }

  /**
   * Returns whether no rule that ignores the regret fires, either before this arrival or because of
   * this arrival.
   */
  @SuppressWarnings("ShortCircuitBoolean")
  private boolean noneFires(double gap, double virtualGap) {
    boolean any = false;
    for (int e = 0; e < withoutRegret; e++) {
      double s = samples[e];
      any |=
          waiting[e] + s * virtualGap >= areaLimit[e]
              | s * gap >= idleLimit[e]
              | s + 1 >= countLimit[e];
    }
    return !any;
  }

  private void advance(int e, double gap, double virtualGap) {
    double s = samples[e];
    double after = waiting[e] + s * virtualGap;
    if (after >= areaLimit[e]
        || s * gap >= idleLimit[e]
        || overdue[e]
        || deadline[e] <= virtualGap) {
      fireBeforeArrival(e, gap, virtualGap);
    } else {
      waiting[e] = after;
      deadline[e] -= virtualGap;
    }
    add(e, gap);
  }

  /**
   * Fires a rule that became due after the latest arrival, or that becomes due inside the jump of
   * virtual time at the new arrival. The update leaves the new arrival out.
   */
  private void fireBeforeArrival(int e, double gap, double virtualGap) {
    double s = samples[e];
    if (s > 0) {
      double due = (areaLimit[e] - waiting[e]) / s;
      due = Math.min(due, Math.min(idleLimit[e] / s, deadline[e]));
      double at = overdue[e] ? 0 : Math.max(0, Math.min(due, gap));
      at = oneMachine ? Math.max(at, machineFree[e]) : at;
      if (at <= gap) {
        update(e, at, at);
        return;
      }
    }
    waiting[e] += s * virtualGap;
    deadline[e] -= virtualGap;
  }

  /**
   * Adds the arrival to a rule's group, {@code gap} seconds after the time from which {@link
   * #machineFree} counts.
   */
  private void add(int e, double gap) {
    double s = samples[e] + 1;
    samples[e] = s;
    if (zeta[e] > 0) {
      // D = min_k (x_k + zeta*C/k), relative to the present virtual time.
      deadline[e] = Math.min(deadline[e], zeta[e] * costs.updateCost() / s);
    }
    if (s >= countLimit[e]) {
      if (oneMachine && machineFree[e] > gap) {
        becomeOverdue(e);
      } else {
        update(e, 0, gap);
      }
    }
  }

  /**
   * Adds further arrivals at the time of the latest one: no real time passes between them, only
   * virtual time. O(size * updates of the regret rules).
   */
  void arriveMore(int count) {
    for (int e = 0; e < size; e++) {
      if (zeta[e] > 0) {
        for (int i = 0; i < count; i++) {
          addByRegret(e);
        }
      } else {
        addMore(e, count);
      }
    }
  }

  private void addByRegret(int e) {
    double jump = 2 * costs.secondsPerSample();
    double s = samples[e];
    if (s > 0 && deadline[e] <= jump) {
      fireBeforeArrival(e, 0, jump);
    } else {
      waiting[e] += s * jump;
      deadline[e] -= jump;
    }
    add(e, 0);
  }

  private void addMore(int e, int count) {
    double jump = 2 * costs.secondsPerSample();
    int left = count;
    while (left > 0) {
      double s = samples[e];
      boolean busy = oneMachine && machineFree[e] > 0;
      double byArea = busy ? left + 1.0 : arrivalsUntilArea(e, s, jump);
      double byCount = busy ? left + 1.0 : Math.max(1, Math.ceil(countLimit[e] - s));
      if (Math.min(byArea, byCount) > left) {
        enlarge(e, left, jump);
        if (busy && samples[e] >= countLimit[e]) {
          becomeOverdue(e);
        }
        return;
      }
      boolean leavesNewestOut = byArea <= byCount;
      int taken = (int) (leavesNewestOut ? byArea - 1 : byCount);
      // Beginning with an empty group, the same sequence of updates repeats.
      boolean repeats = s == 0 && !oneMachine && taken > 0;
      int times = repeats ? left / taken : 1;
      enlarge(e, taken, jump);
      double before = cost[e];
      update(e, 0, 0);
      cost[e] += (times - 1) * (cost[e] - before);
      left -= taken * times;
    }
  }

  /**
   * Returns the number of arrivals of an upload until a rule's group reaches its area limit; the
   * update leaves the last of these arrivals out.
   */
  private double arrivalsUntilArea(int e, double s, double jump) {
    if (jump == 0 || areaLimit[e] == Double.POSITIVE_INFINITY) {
      return Double.POSITIVE_INFINITY;
    }
    // Least m with W + jump*(s*m + m*(m-1)/2) >= limit.
    double b = s - 0.5;
    double c = (areaLimit[e] - waiting[e]) / jump;
    double m = Math.ceil(-b + Math.sqrt(b * b + 2 * Math.max(0, c)));
    return Math.max(s == 0 ? 2 : 1, m);
  }

  private void enlarge(int e, int count, double jump) {
    waiting[e] += jump * (samples[e] * count + 0.5 * count * (count - 1));
    samples[e] += count;
  }

  private void becomeOverdue(int e) {
    if (!overdue[e]) {
      overdue[e] = true;
      overdueCount++;
    }
  }

  /**
   * Trains the open group of a rule and adds the cost.
   *
   * @param longerSeconds waiting of the group's samples that is not in the sums yet
   * @param atSeconds time of the update, in seconds after the time from which {@link #machineFree}
   *     counts
   */
  private void update(int e, double longerSeconds, double atSeconds) {
    double s = samples[e];
    cost[e] += weight * (1 + (waiting[e] + s * longerSeconds) * updatesPerSampleSecond);
    machineFree[e] = atSeconds + costs.secondsPerSample() * s + costs.fixedSeconds();
    samples[e] = 0;
    waiting[e] = 0;
    deadline[e] = Double.POSITIVE_INFINITY;
    if (overdue[e]) {
      overdue[e] = false;
      overdueCount--;
    }
  }

  /**
   * Returns the rule with the lowest discounted cost; if several rules are equally cheap, the
   * first.
   */
  int cheapest() {
    int best = 0;
    for (int e = 1; e < size; e++) {
      if (weightedCost(e) < weightedCost(best)) {
        best = e;
      }
    }
    return best;
  }

  /**
   * Returns whether a rule is cheaper than another rule by more than the sum of two margins: a
   * share of the other rule's cost, and the cost of some updates.
   */
  boolean isCheaper(int rule, int other, double relativeMargin, double updates) {
    return weightedCost(rule) < (1 - relativeMargin) * weightedCost(other) - updates * weight;
  }

  private double weightedCost(int e) {
    return cost[e] + weight * waiting[e] * updatesPerSampleSecond;
  }

  /**
   * Returns the discounted cost of a rule, including its open group, in units of C, the cost of one
   * update.
   */
  double discountedCost(int e) {
    return weightedCost(e) / weight;
  }

  /** Returns the number of samples at which a rule fires; infinite if it does not count samples. */
  double countLimit(int e) {
    return countLimit[e];
  }

  double[] discountedCosts() {
    double[] all = new double[size];
    Arrays.setAll(all, this::discountedCost);
    return all;
  }

  /**
   * Replaces the costs of all rules by the costs that {@link #discountedCosts()} returned; the open
   * groups stay unchanged.
   */
  void restore(double[] discountedCosts) {
    weight = 1;
    System.arraycopy(discountedCosts, 0, cost, 0, size);
  }
}
