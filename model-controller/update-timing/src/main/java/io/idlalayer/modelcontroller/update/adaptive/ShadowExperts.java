package io.idlalayer.modelcontroller.update.adaptive;

import io.idlalayer.middleware.primitive.Nanos;
import io.idlalayer.middleware.state.StateFormat;
import io.idlalayer.middleware.state.StateReader;
import io.idlalayer.middleware.state.StateWriter;
import io.idlalayer.modelcontroller.update.rule.RuleCosts;
import io.idlalayer.modelcontroller.update.rule.UpdateRule;

/**
 * Simulates what every stationary rule of the family would have cost on the true arrivals, and
 * stores the leader, which is the rule that {@link AdaptiveRule} follows. Arrivals do not depend on
 * the decisions, so these costs are exact. Older costs are discounted, so the costs show which rule
 * suits the stream now (learning from expert advice: Cesa-Bianchi 2006). Not thread-safe.
 */
final class ShadowExperts {
  private static final StateFormat FORMAT = StateFormat.first("rule adaptive");

  private final ExpertFamily family = ExpertFamily.shipped();
  private final ExpertArrays arrays;
  private final GapMeans gaps = new GapMeans();
  private long lastNanos = UpdateRule.NEVER;
  private int leader;

  /**
   * @param oneMachine whether a simulated rule waits until its last training has ended, as the real
   *     rule must
   */
  ShadowExperts(boolean oneMachine) {
    arrays = new ExpertArrays(family, oneMachine);
    leader = oneMachine ? ExpertFamily.EAGER : ExpertFamily.DEFAULT;
  }

  /** Sets the costs that the rules charge from now on. */
  void costs(RuleCosts now) {
    arrays.costs(now);
    arrays.countLimits(gaps);
  }

  /**
   * Adds arrivals at one time to all simulated rules. O(number of rules), without allocation. If
   * trainings can overlap, the time also grows with the number of updates into which the two regret
   * rules divide an upload.
   */
  void arrived(long nowNanos, int count) {
    boolean first = lastNanos == UpdateRule.NEVER;
    double gap = first ? 0 : Nanos.toSeconds(Math.max(0, nowNanos - lastNanos));
    lastNanos = nowNanos;
    arrays.discountOne();
    if (!first) {
      gaps.learn(gap);
      arrays.countLimits(gaps);
    }
    arrays.arriveOne(gap);
    if (count > 1) {
      if (gaps.known()) {
        gaps.learnZeros(count - 1);
        arrays.countLimits(gaps);
      }
      arrays.discount(count - 1);
      arrays.arriveMore(count - 1);
    }
  }

  /** Returns the rule with the least discounted cost; of equally cheap ones, the first. */
  int cheapest() {
    return arrays.cheapest();
  }

  /**
   * Returns whether a rule is cheaper than another rule, by discounted costs, by more than the sum
   * of two margins: a share of the other rule's cost, and the cost of some updates.
   *
   * @param relativeMargin first margin, as a share of the other rule's cost
   * @param updates second margin, in units of C
   */
  boolean isCheaper(int rule, int other, double relativeMargin, double updates) {
    return arrays.isCheaper(rule, other, relativeMargin, updates);
  }

  /** Makes a rule the leader from now on. */
  void follow(int expert) {
    leader = expert;
  }

  int leader() {
    return leader;
  }

  StationaryRule leaderRule() {
    return family.rule(leader);
  }

  /**
   * Returns the number of samples at which the leader fires; infinite if it does not count samples.
   */
  double leaderCount() {
    return arrays.countLimit(leader);
  }

  /** Returns the family of the simulated rules. */
  ExpertFamily family() {
    return family;
  }

  /** Returns the discounted cost of a rule in units of C, the cost of one update; for tests. */
  double discountedCost(int expert) {
    return arrays.discountedCost(expert);
  }

  /**
   * Returns the discounted costs, the mean gaps and the leader as bytes for {@link #restore},
   * without the open groups.
   */
  byte[] snapshot() {
    StateWriter out = FORMAT.writer().putInt(1, leader);
    gaps.snapshot(out, 2);
    return out.putDoubles(4, arrays.discountedCosts()).bytes();
  }

  /**
   * Restores the costs, gaps and leader from a snapshot; the rules' open groups start empty.
   *
   * @throws io.idlalayer.middleware.state.UnreadableStateException if the bytes are not a snapshot
   *     of this class
   */
  void restore(byte[] snapshot) {
    StateReader in = FORMAT.reader(snapshot);
    double[] costs = in.getDoubles(4, family.size());
    int led = in.getInt(1);
    if (led < 0 || led >= family.size()) {
      throw in.refused(
          "field 1: the leader is rule %d, but there are %d rules".formatted(led, family.size()));
    }
    gaps.restore(in, 2);
    leader = led;
    arrays.restore(costs);
    arrays.countLimits(gaps);
  }
}
