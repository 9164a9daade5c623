package io.idlalayer.modelcontroller.update.adaptive;

/**
 * Chooses, after every update, the stationary rule that {@link AdaptiveRule} follows next. The
 * bound of the rule holds for any choice.
 */
@FunctionalInterface
public interface LeaderChoice {
  /** Returns the rule to follow from now on, an index of {@link ExpertFamily}. */
  int choose(ShadowExperts experts);

  /** Returns a choice that always follows one rule. */
  static LeaderChoice always(int expert) {
    return experts -> expert;
  }

  /**
   * Returns the choice of the rule with the lowest discounted cost; see {@link CheapestWithMargin}.
   */
  static LeaderChoice cheapest() {
    return CheapestWithMargin.INSTANCE;
  }

  /**
   * Chooses the rule that was cheapest on the discounted history, if it is cheaper than the leader
   * by a relative and an absolute margin; otherwise keeps the leader. The margins prevent changes
   * of the leader by chance, because the costs of two rules can differ by the cost of a few updates
   * just by chance. The margins were chosen on the arrival streams of the timing benchmark; other
   * margins make little difference.
   */
  enum CheapestWithMargin implements LeaderChoice {
    INSTANCE;

    /** Least saving for a change of the leader, as a share of the leader's cost. */
    private static final double RELATIVE_MARGIN = 0.005;

    /**
     * Further saving, in costs of one update, that is needed to leave the default rule. The default
     * rule has a proved bound.
     */
    private static final double MARGIN_FROM_DEFAULT = 1.5;

    /**
     * Further saving, in costs of one update, that is needed to leave a leader other than the
     * default.
     */
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
