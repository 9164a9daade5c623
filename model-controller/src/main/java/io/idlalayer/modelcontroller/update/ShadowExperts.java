package io.idlalayer.modelcontroller.update;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Stationary rules that run in the shadow of the real one on the true arrivals. Arrivals do not
 * depend on what is decided, so their costs are exact counterfactuals; discounted, they say which
 * rule suits this stream (update-timing, section 5). In virtual time a group of s samples has
 * waited W, and W grows by s for every second and by 2*lambda*s with every arrival.
 *
 * <p>Costs are in units of C, so that an estimate of C that moves does not spoil the history.
 */
final class ShadowExperts {
  private static final byte VERSION = 1;
  private static final double HALF_LIFE_ARRIVALS = 1000;
  private static final double GROWTH = Math.pow(2, 1 / HALF_LIFE_ARRIVALS);
  private static final double RENORMALISE = 1e200;

  /** An upload of more than this forgets no more: all else is forgotten by then. */
  private static final int MOST_FORGOTTEN = 100_000;

  private static final double BETTER = 0.005;
  private static final double LEAVE_DEFAULT = 1.5;
  private static final double LEAVE_OTHER = 0.45;

  private final ExpertFamily family = ExpertFamily.shipped();
  private final boolean oneMachine;
  private final int size = family.size();

  private final double[] waiting = new double[size];
  private final double[] samples = new double[size];
  private final double[] cost = new double[size];
  private final double[] freeIn = new double[size];
  private final double[] deadline = new double[size];
  private final double[] enough = new double[size];
  private final double[] areaLimit = new double[size];
  private final double[] idleLimit = new double[size];

  /** Enough samples wait, but the machine was busy. */
  private final boolean[] reached = new boolean[size];

  /** Rules by area and count alone come first. */
  private final int plain = family.plain;

  private int reachedCount;

  private final double[] gaps = new double[ExpertFamily.GAINS.length];

  private RuleCosts costs = new RuleCosts(0, 0, 0);
  private double perUpdate;
  private double scale = 1;
  private long lastNanos = UpdateRule.NEVER;
  private boolean gapKnown;
  private int leader;

  /**
   * @param oneMachine whether a shadow waits until its last training has ended, as the real rule
   *     must
   */
  ShadowExperts(boolean oneMachine) {
    this.oneMachine = oneMachine;
    Arrays.fill(deadline, Double.POSITIVE_INFINITY);
    Arrays.fill(enough, Double.POSITIVE_INFINITY);
    enough[family.immediate] = 1;
  }

  void costs(RuleCosts now) {
    costs = now;
    perUpdate = now.updateCost() > 0 ? 1 / now.updateCost() : 0;
    for (int e = 0; e < size; e++) {
      areaLimit[e] = family.omega[e] * now.updateCost();
      idleLimit[e] = family.eta[e] * now.updateCost();
    }
    countsThatAreEnough();
  }

  /**
   * Arrivals at one moment. O(number of experts), no allocation; where trainings may overlap, also
   * the updates that the two regret rules make of an upload.
   */
  void arrived(long nowNanos, int count) {
    boolean first = lastNanos == UpdateRule.NEVER;
    double gap = first ? 0 : Math.max(0, nowNanos - lastNanos) / 1e9;
    lastNanos = nowNanos;
    scale *= GROWTH;
    if (scale > RENORMALISE) {
      renormalise();
    }
    if (!first) {
      learnGap(gap);
    }
    one(gap);
    if (count > 1) {
      learnZeroGaps(count - 1);
      scale *= Math.pow(GROWTH, Math.min(count - 1, MOST_FORGOTTEN));
      for (int e = 0; e < size; e++) {
        more(e, count - 1);
      }
    }
  }

  private void one(double gap) {
    double virtual = gap + 2 * costs.secondsPerSample();
    if (reachedCount == 0 && nothingHappens(gap, virtual)) {
      for (int e = 0; e < plain; e++) {
        waiting[e] += samples[e] * virtual;
        samples[e] += 1;
      }
    } else {
      for (int e = 0; e < plain; e++) {
        step(e, gap, virtual);
      }
    }
    for (int e = plain; e < size; e++) {
      step(e, gap, virtual);
    }
    if (oneMachine) {
      for (int e = 0; e < size; e++) {
        freeIn[e] -= gap;
      }
    }
  }

  /**
   * Whether no plain rule fires, neither before this arrival nor by it; a loop without branches.
   */
  @SuppressWarnings("ShortCircuitBoolean")
  private boolean nothingHappens(double gap, double virtual) {
    boolean any = false;
    for (int e = 0; e < plain; e++) {
      double s = samples[e];
      any |=
          waiting[e] + s * virtual >= areaLimit[e] | s * gap >= idleLimit[e] | s + 1 >= enough[e];
    }
    return !any;
  }

  private void step(int e, double gap, double virtual) {
    double s = samples[e];
    double after = waiting[e] + s * virtual;
    if (after >= areaLimit[e] || s * gap >= idleLimit[e] || reached[e] || deadline[e] <= virtual) {
      fire(e, gap, virtual);
    } else {
      waiting[e] = after;
      deadline[e] -= virtual;
    }
    arrive(e, gap);
  }

  /** The rest of an upload: no time goes by between its samples, only virtual time. */
  private void more(int e, int count) {
    double jump = 2 * costs.secondsPerSample();
    int left = count;
    while (left > 0) {
      if (family.zeta[e] > 0) {
        again(e, jump);
        left--;
        continue;
      }
      double s = samples[e];
      boolean blocked = oneMachine && freeIn[e] > 0;
      double byArea = blocked ? left + 1.0 : untilArea(e, s, jump);
      double byCount = blocked ? left + 1.0 : Math.max(1, Math.ceil(enough[e] - s));
      if (Math.min(byArea, byCount) > left) {
        pile(e, left, jump);
        if (blocked && samples[e] >= enough[e]) {
          reach(e);
        }
        return;
      }
      boolean leavesOut = byArea <= byCount;
      int taken = (int) (leavesOut ? byArea - 1 : byCount);
      // From nothing, the same happens over and over.
      boolean cycle = s == 0 && !oneMachine && taken > 0;
      int times = cycle ? left / taken : 1;
      pile(e, taken, jump);
      double each = cost[e];
      commit(e, 0, 0);
      cost[e] += (times - 1) * (cost[e] - each);
      left -= taken * times;
    }
  }

  /** Arrivals of an upload until the area is reached; the last of them is left out. */
  private double untilArea(int e, double s, double jump) {
    if (jump == 0 || areaLimit[e] == Double.POSITIVE_INFINITY) {
      return Double.POSITIVE_INFINITY;
    }
    // Least m with W + jump*(s*m + m*(m-1)/2) >= limit.
    double b = s - 0.5;
    double c = (areaLimit[e] - waiting[e]) / jump;
    double m = Math.ceil(-b + Math.sqrt(b * b + 2 * Math.max(0, c)));
    return Math.max(s == 0 ? 2 : 1, m);
  }

  private void pile(int e, int count, double jump) {
    waiting[e] += jump * (samples[e] * count + 0.5 * count * (count - 1));
    samples[e] += count;
  }

  private void again(int e, double jump) {
    double s = samples[e];
    if (s > 0 && deadline[e] <= jump) {
      fire(e, 0, jump);
    } else {
      waiting[e] += s * jump;
      deadline[e] -= jump;
    }
    arrive(e, 0);
  }

  /** The arrival itself, {@code gap} after the moment from which {@link #freeIn} counts. */
  private void arrive(int e, double gap) {
    double s = samples[e] + 1;
    samples[e] = s;
    if (family.zeta[e] > 0) {
      // D = min_k (x_k + zeta*C/k), kept relative to the present virtual time.
      deadline[e] = Math.min(deadline[e], family.zeta[e] * costs.updateCost() / s);
    }
    if (s >= enough[e]) {
      if (oneMachine && freeIn[e] > gap) {
        reach(e);
      } else {
        commit(e, 0, gap);
      }
    }
  }

  /** A shadow fires since the last arrival, or inside the jump of this one, which it leaves out. */
  private void fire(int e, double gap, double virtual) {
    double s = samples[e];
    if (s > 0) {
      double due = (areaLimit[e] - waiting[e]) / s;
      due = Math.min(due, Math.min(idleLimit[e] / s, deadline[e]));
      double at = reached[e] ? 0 : Math.max(0, Math.min(due, gap));
      at = oneMachine ? Math.max(at, freeIn[e]) : at;
      if (at <= gap) {
        commit(e, at, at);
        return;
      }
    }
    waiting[e] += s * virtual;
    deadline[e] -= virtual;
  }

  private void reach(int e) {
    if (!reached[e]) {
      reached[e] = true;
      reachedCount++;
    }
  }

  /**
   * Trains what a shadow has.
   *
   * @param longer seconds that its samples have waited beyond what is summed up
   * @param at when, in the terms of {@link #freeIn}
   */
  private void commit(int e, double longer, double at) {
    double s = samples[e];
    cost[e] += scale * (1 + (waiting[e] + s * longer) * perUpdate);
    freeIn[e] = at + costs.secondsPerSample() * s + costs.fixedSeconds();
    samples[e] = 0;
    waiting[e] = 0;
    deadline[e] = Double.POSITIVE_INFINITY;
    if (reached[e]) {
      reached[e] = false;
      reachedCount--;
    }
  }

  private void learnGap(double gap) {
    for (int i = 0; i < gaps.length; i++) {
      gaps[i] = gapKnown ? gaps[i] + ExpertFamily.GAINS[i] * (gap - gaps[i]) : gap;
    }
    gapKnown = true;
    countsThatAreEnough();
  }

  private void learnZeroGaps(int count) {
    if (gapKnown) {
      for (int i = 0; i < gaps.length; i++) {
        gaps[i] *= Math.pow(1 - ExpertFamily.GAINS[i], count);
      }
      countsThatAreEnough();
    }
  }

  /** Economic order quantity: count >= beta * sqrt(2C / (mean gap + 2*lambda)). */
  private void countsThatAreEnough() {
    double fast = quantity(0);
    double slow = quantity(1);
    int slowOnes = (family.counting + plain) / 2;
    for (int e = family.counting; e < slowOnes; e++) {
      enough[e] = family.beta[e] * fast;
    }
    for (int e = slowOnes; e < plain; e++) {
      enough[e] = family.beta[e] * slow;
    }
  }

  private double quantity(int gain) {
    double each = gaps[gain] + 2 * costs.secondsPerSample();
    return gapKnown ? Math.sqrt(2 * costs.updateCost() / each) : Double.POSITIVE_INFINITY;
  }

  private void renormalise() {
    for (int e = 0; e < size; e++) {
      cost[e] /= scale;
    }
    scale = 1;
  }

  /** The rule to follow from now on, asked for when a group is committed. */
  int cheapest() {
    int best = 0;
    for (int e = 1; e < size; e++) {
      if (total(e) < total(best)) {
        best = e;
      }
    }
    double margin = leader == ExpertFamily.DEFAULT ? LEAVE_DEFAULT : LEAVE_OTHER;
    return total(best) < (1 - BETTER) * total(leader) - margin * scale ? best : leader;
  }

  private double total(int e) {
    return cost[e] + scale * waiting[e] * perUpdate;
  }

  /** Follows a rule from now on. */
  void follow(int expert) {
    leader = expert;
  }

  int leader() {
    return leader;
  }

  /** The rules that run here. */
  ExpertFamily family() {
    return family;
  }

  /** Samples at which a count rule fires; infinite for the others. */
  double enough(int expert) {
    return enough[expert];
  }

  /** Discounted cost of a rule in units of C, for tests. */
  double discountedCost(int expert) {
    return total(expert) / scale;
  }

  byte[] memory() {
    ByteBuffer out = ByteBuffer.allocate(1 + 4 + 4 + 1 + (gaps.length + size) * Double.BYTES);
    out.put(VERSION).putInt(size).putInt(leader).put((byte) (gapKnown ? 1 : 0));
    for (double gap : gaps) {
      out.putDouble(gap);
    }
    for (int e = 0; e < size; e++) {
      out.putDouble(total(e) / scale);
    }
    return out.array();
  }

  /** Takes {@link #memory()} back; the shadows' open groups begin anew. */
  void remember(byte[] memory) {
    ByteBuffer in = ByteBuffer.wrap(memory);
    byte version = in.get();
    int experts = in.getInt();
    if (version != VERSION || experts != size) {
      throw new IllegalArgumentException(
          "history of version %d with %d shadow rules, this program reads version %d with %d"
              .formatted(version, experts, VERSION, size));
    }
    leader = in.getInt();
    gapKnown = in.get() == 1;
    for (int i = 0; i < gaps.length; i++) {
      gaps[i] = in.getDouble();
    }
    scale = 1;
    for (int e = 0; e < size; e++) {
      cost[e] = in.getDouble();
    }
    countsThatAreEnough();
  }
}
