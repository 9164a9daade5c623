package io.idlalayer.middleware.cache.donation;

import java.util.List;
import java.util.Locale;

/**
 * The planned donation of each owner, and the reasons.
 *
 * @param moves one move for each owner, in their order, including owners whose donation stays
 * @param beforeSeconds predicted mean task time with the current donations, over owners with a
 *     model; NaN if there is none
 * @param afterSeconds predicted mean task time with this plan
 * @param targetSeconds predicted mean task time if donations could change at once without limits
 * @param exact whether no other plan within the same limits is better in the model; false if a
 *     greedy search was used because there were too many plans
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

  /** The reason for a donation. */
  public enum Reason {
    /** Predicted to be better. */
    BETTER,
    /** None that can be reached is predicted to be better. */
    BEST,
    /** There is no model yet. */
    NOT_READY,
    /** A step to learn the effect of another donation. */
    PROBE,
    /** The whole plan promised less than it must. */
    GAIN_TOO_SMALL,
    /** The measured hit curve spoke against it. */
    VETO,
    /** The donation was above its bound. */
    ABOVE_BOUND
  }

  /**
   * The planned change of one owner's donation.
   *
   * @param targetMib donation that it would reach in the end, if nothing else changed
   * @param beforeSeconds predicted task time with the current donation; NaN without a model
   * @param afterSeconds predicted task time after the move
   * @param why readable reason with the numbers that decided
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
    /** Returns whether the donation changes. */
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

  /** Returns the sum of all donations after the plan, MiB. */
  public long totalMib() {
    return moves.stream().mapToLong(Move::afterMib).sum();
  }
}
