package io.idlalayer.middleware.cache.donation;

import java.util.List;
import java.util.Locale;

/**
 * Who gives how much, and why.
 *
 * @param moves one for each owner, in their order, also of those who stay
 * @param beforeSeconds predicted mean task time as it is, over owners with a model; NaN without
 * @param afterSeconds the same with this plan
 * @param targetSeconds the same if donations might change at once as far as they like
 * @param exact whether no other plan within the same limits is better in the model; false if there
 *     were so many that a greedy search took the place of the exact one
 */
record DonationPlan(
    List<Move> moves,
    double beforeSeconds,
    double afterSeconds,
    double targetSeconds,
    boolean exact) {
  public DonationPlan {
    moves = List.copyOf(moves);
  }

  /** Why a donation is what it is. */
  public enum Reason {
    /** Predicted to be better. */
    BETTER,
    /** None that can be reached is predicted to be better. */
    BEST,
    /** There is no model yet. */
    NOT_READY,
    /** To learn what another donation does. */
    PROBE,
    /** The whole plan promised less than it must. */
    GAIN_TOO_SMALL,
    /** The measured hit curve spoke against it. */
    VETO,
    /** It was above its bound. */
    ABOVE_BOUND
  }

  /**
   * One owner's part.
   *
   * @param targetMib where it would go in the end, all else as it is now
   * @param beforeSeconds its predicted task time as it is; NaN without a model
   * @param afterSeconds the same after the move
   * @param why the reason in words, with the numbers that decided
   */
  public record Move(
      String owner,
      long beforeMib,
      long afterMib,
      long targetMib,
      double beforeSeconds,
      double afterSeconds,
      Reason reason,
      String why) {
    /** Whether the donation changes. */
    public boolean changes() {
      return afterMib != beforeMib;
    }

    @Override
    public String toString() {
      return String.format(
          Locale.ROOT,
          "%s %d -> %d MiB (towards %d), %.6g -> %.6g s: %s",
          owner,
          beforeMib,
          afterMib,
          targetMib,
          beforeSeconds,
          afterSeconds,
          why);
    }
  }

  /** All donations after the plan, MiB. */
  public long totalMib() {
    return moves.stream().mapToLong(Move::afterMib).sum();
  }
}
