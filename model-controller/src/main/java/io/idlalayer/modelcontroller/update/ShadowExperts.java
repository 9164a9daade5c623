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

  /** Enough samples wait, but the machine was busy. */
  private final boolean[] reached = new boolean[size];

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
  }

  void costs(RuleCosts now) {
    costs = now;
    perUpdate = now.updateCost() > 0 ? 1 / now.updateCost() : 0;
    countsThatAreEnough();
  }

  /** One arrival. O(number of experts), no allocation. */
  void arrived(long nowNanos) {
    double gap = lastNanos == UpdateRule.NEVER ? 0 : Math.max(0, nowNanos - lastNanos) / 1e9;
    boolean first = lastNanos == UpdateRule.NEVER;
    lastNanos = nowNanos;
    scale *= GROWTH;
    if (scale > RENORMALISE) {
      renormalise();
    }
    if (!first) {
      learnGap(gap);
    }
    double virtual = gap + 2 * costs.secondsPerSample();
    double updateCost = costs.updateCost();
    for (int e = 0; e < size; e++) {
      double s = samples[e];
      double after = waiting[e] + s * virtual;
      if (after >= family.omega[e] * updateCost
          || s * gap >= family.eta[e] * updateCost
          || reached[e]
          || deadline[e] <= virtual) {
        fire(e, gap, virtual);
      } else {
        waiting[e] = after;
        deadline[e] -= virtual;
      }
      freeIn[e] -= gap;
      arrive(e);
    }
  }

  private void arrive(int e) {
    double s = samples[e] + 1;
    samples[e] = s;
    if (family.zeta[e] > 0) {
      // D = min_k (x_k + zeta*C/k), kept relative to the present virtual time.
      deadline[e] = Math.min(deadline[e], family.zeta[e] * costs.updateCost() / s);
    }
    if (s >= enough[e]) {
      if (oneMachine && freeIn[e] > 0) {
        reached[e] = true;
      } else {
        commit(e, 0);
      }
    }
  }

  /** A shadow fires since the last arrival, or inside the jump of this one, which it leaves out. */
  private void fire(int e, double gap, double virtual) {
    double s = samples[e];
    if (s > 0) {
      double updateCost = costs.updateCost();
      double due = (family.omega[e] * updateCost - waiting[e]) / s;
      due = Math.min(due, Math.min(family.eta[e] * updateCost / s, deadline[e]));
      double at = reached[e] ? 0 : Math.max(0, Math.min(due, gap));
      at = oneMachine ? Math.max(at, freeIn[e]) : at;
      if (at <= gap) {
        commit(e, at);
        return;
      }
    }
    waiting[e] += s * virtual;
    deadline[e] -= virtual;
  }

  private void commit(int e, double at) {
    double s = samples[e];
    cost[e] += scale * (1 + (waiting[e] + s * at) * perUpdate);
    freeIn[e] = at + costs.secondsPerSample() * s + costs.fixedSeconds();
    samples[e] = 0;
    waiting[e] = 0;
    reached[e] = false;
    deadline[e] = Double.POSITIVE_INFINITY;
  }

  private void learnGap(double gap) {
    for (int i = 0; i < gaps.length; i++) {
      gaps[i] = gapKnown ? gaps[i] + ExpertFamily.GAINS[i] * (gap - gaps[i]) : gap;
    }
    gapKnown = true;
    countsThatAreEnough();
  }

  /** Economic order quantity: count >= beta * sqrt(2C / (mean gap + 2*lambda)). */
  private void countsThatAreEnough() {
    for (int e = 0; e < size; e++) {
      if (family.beta[e] == 0) {
        enough[e] = 1;
      } else if (family.beta[e] < Double.POSITIVE_INFINITY && gapKnown) {
        enough[e] = family.beta[e] * quantity(family.gain[e]);
      }
    }
  }

  private double quantity(int gain) {
    double each = gaps[gain] + 2 * costs.secondsPerSample();
    return Math.sqrt(2 * costs.updateCost() / each);
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
