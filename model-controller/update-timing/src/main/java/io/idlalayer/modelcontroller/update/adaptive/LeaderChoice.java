package io.idlalayer.modelcontroller.update.adaptive;

/**
 * Chooses the stationary rule that {@link AdaptiveRule} follows, after every update. The bound of
 * the rule holds for any choice.
 */
@FunctionalInterface
public interface LeaderChoice {
  /** Returns the rule to follow from now on, an index of {@link ExpertFamily}. */
  int choose(ShadowExperts experts);

  /** Always the same rule. */
  static LeaderChoice always(int expert) {
    return experts -> expert;
  }

  /** Returns the cheapest rule of late; see {@link CheapestWithMargin}. */
  static LeaderChoice cheapest() {
    return CheapestWithMargin.INSTANCE;
  }

  /**
   * The rule that was cheapest on the discounted history, if it is cheaper than the leader by a
   * relative and an absolute margin; otherwise the leader stays. The margins keep chance from
   * changing the leader: the costs of two rules differ by some updates' cost by luck alone. They
   * were chosen on the arrival streams of the timing benchmark and matter little.
   */
  enum CheapestWithMargin implements LeaderChoice {
    INSTANCE;

    /** Share of the leader's cost that must be saved. */
    private static final double RELATIVE_MARGIN = 0.005;

    /** Updates' cost that must be saved besides, to leave the proved default. */
    private static final double MARGIN_FROM_DEFAULT = 1.5;

    /** Updates' cost that must be saved besides, to leave another leader. */
    private static final double MARGIN_FROM_OTHER = 0.45;

    @Override
    public int choose(ShadowExperts experts) {
      int leader = experts.leader();
      int best = experts.cheapest();
      double margin = leader == ExpertFamily.DEFAULT ? MARGIN_FROM_DEFAULT : MARGIN_FROM_OTHER;
      return experts.isCheaper(best, leader, RELATIVE_MARGIN, margin) ? best : leader;
    }
  }
}
