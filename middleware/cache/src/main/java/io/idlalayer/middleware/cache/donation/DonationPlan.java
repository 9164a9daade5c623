package io.idlalayer.middleware.cache.donation;

import java.util.List;
import java.util.Locale;

/**
 * A planned donation for each cache owner, each with its reason.
 *
 * @param moves one move for each owner, in the order of the owners, including owners whose donation
 *     does not change
 * @param beforeSeconds predicted mean task time with the current donations, over owners with a
 *     model; NaN if there is none
 * @param afterSeconds predicted mean task time with this plan
 * @param targetSeconds predicted mean task time if donations could change immediately and without
 *     limits
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

  /** Reasons why a plan changes or keeps an owner's donation. */
  public enum Reason {
    /** The new donation is predicted to give shorter task times. */
    BETTER,
    /** No donation within reach is predicted to give shorter task times than the present one. */
    BEST,
    /** The donation stays, because the owner has no task-time model yet. */
    NOT_READY,
    /** The donation changes by a step to learn its effect on task times. */
    PROBE,
    /** The donation stays, because the whole plan promised to save less time than a plan must. */
    GAIN_TOO_SMALL,
    /**
     * The change was refused, because by the measured hit curve it would gain too few hits or lose
     * too many.
     */
    VETO,
    /** The donation was above its upper bound and must become smaller. */
    ABOVE_BOUND
  }

  /**
   * The planned donation of one owner, which can be the present donation.
   *
   * @param targetMib donation that the owner would finally reach if nothing else changed
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
    /** Returns whether the planned donation differs from the present one. */
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

  /** Returns the sum of all donations after the plan, in MiB. */
  public long totalMib() {
    return moves.stream().mapToLong(Move::afterMib).sum();
  }
}
