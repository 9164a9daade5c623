package io.idlalayer.modelcontroller.update.adaptive;

import java.util.ArrayList;
import java.util.List;

/**
 * The 69 stationary rules from which {@link AdaptiveRule} chooses, in this order: area(1); area and
 * count rules with several factors, each combined with each idle limit; the immediate rule; two
 * regret rules. The factors lie around 1, the best factor on a steady stream. The range of the
 * factors includes the best factor of every stream of the timing benchmark. Immutable.
 */
public final class ExpertFamily {
  /**
   * Index of the rule to start with, area(1). Its cost is at most twice the optimum even without a
   * guard.
   */
  static final int DEFAULT = 0;

  /**
   * Index of the rule to start with if there is one machine: area(0.75) or idle 0.03. While the
   * machine would stand idle, waiting samples can be trained a little earlier at no cost. {@link
   * FreeBandGuard} keeps this rule within the bound.
   */
  static final int EAGER = 3;

  private static final double[] OMEGAS = {0.25, 0.5, 0.75, 1, 1.5};
  private static final double[] BETAS = {0.6, 0.8, 1, 1.3};
  private static final double[] ETAS = {0.03, 0.1, 0.3, 1, 2};
  private static final double[] ZETAS = {1, 0.5};

  private final List<StationaryRule> rules;

  private final int firstCount;
  private final int firstSlowCount;
  private final int immediate;

  private ExpertFamily(
      List<StationaryRule> rules, int firstCount, int firstSlowCount, int immediate) {
    this.rules = List.copyOf(rules);
    this.firstCount = firstCount;
    this.firstSlowCount = firstSlowCount;
    this.immediate = immediate;
  }

  public static ExpertFamily shipped() {
    List<StationaryRule> rules = new ArrayList<>();
    rules.add(StationaryRule.area(1, StationaryRule.NO_LIMIT));
    for (double eta : ETAS) {
      for (double omega : OMEGAS) {
        rules.add(StationaryRule.area(omega, eta));
      }
    }
    int firstCount = rules.size();
    addCountRules(rules, GapMeans.FAST);
    int firstSlowCount = rules.size();
    addCountRules(rules, GapMeans.SLOW);
    int immediate = rules.size();
    rules.add(StationaryRule.immediate());
    for (double zeta : ZETAS) {
      rules.add(StationaryRule.regret(zeta));
    }
    return new ExpertFamily(rules, firstCount, firstSlowCount, immediate);
  }

  private static void addCountRules(List<StationaryRule> rules, int gapMean) {
    for (double eta : ETAS) {
      for (double beta : BETAS) {
        rules.add(StationaryRule.count(beta, gapMean, eta));
      }
    }
  }

  public int size() {
    return rules.size();
  }

  StationaryRule rule(int expert) {
    return rules.get(expert);
  }

  /**
   * Returns the index of the first rule that counts samples. This rule uses the fast mean of the
   * gap.
   */
  int firstCount() {
    return firstCount;
  }

  /**
   * Returns the index of the first rule that counts samples by the slow mean; rules with the fast
   * mean come before it.
   */
  int firstSlowCount() {
    return firstSlowCount;
  }

  /**
   * Returns the index of the rule that trains every sample at once. The area and count rules come
   * before this rule, and the regret rules after it.
   */
  int immediate() {
    return immediate;
  }
}
