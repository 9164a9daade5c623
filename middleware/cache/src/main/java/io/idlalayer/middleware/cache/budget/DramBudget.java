package io.idlalayer.middleware.cache.budget;

import java.util.List;
import java.util.Locale;

/**
 * Decides how a budget of DRAM is divided between hot samples, embedding rows and tensors: by the
 * seconds that each of them saves per byte. The decision has no side effects: this class neither
 * measures nor moves bytes.
 *
 * <p>The split does not follow each change of the curves. A move must save at least {@value
 * #LEAST_GAIN} of the time that unlimited DRAM would save compared with the present split, and at
 * least 0.1 us in each second. It must save twice its cost within ten minutes. Within ten minutes,
 * at most one move changes a use in the opposite direction of its last change. The idea of moving
 * memory along the slopes of hit curves is that of Cliffhanger (Cidon 2016).
 */
public final class DramBudget {
  /** Least gain of a move, as a share of what unlimited DRAM would save. */
  static final double LEAST_GAIN = 0.04;

  /**
   * Least gain of a move, in seconds saved in each second. This is about a hundredth of a second
   * per day.
   */
  static final double LEAST_GAIN_SECONDS = 1e-7;

  /** Time in seconds within which a move must pay, and between two changes of direction. */
  public static final double HORIZON_SECONDS = 600;

  /** A move must save its cost this many times. */
  private static final double COST_SHARE = 2;

  private final long budgetBytes;

  /**
   * @param budgetBytes DRAM of all uses together, above 0
   */
  public DramBudget(long budgetBytes) {
    if (budgetBytes <= 0) {
      throw new IllegalArgumentException("a budget of %,d bytes".formatted(budgetBytes));
    }
    this.budgetBytes = budgetBytes;
  }

  /**
   * A decision.
   *
   * @param split the split from now on
   * @param moves whether the split differs from the present split
   * @param gain seconds that the split saves in each second, in addition to the present split
   * @param reason the reason, in words
   */
  public record Decision(FastSplit split, boolean moves, double gain, String reason) {}

  /** Returns the bytes that are divided. */
  public long bytes() {
    return budgetBytes;
  }

  /**
   * Returns the split from now on.
   *
   * @param claims one claim for each use; at most one has a curve of steps
   * @param now the present split
   * @param history earlier moves
   * @throws IllegalArgumentException if the budget is less than the sum of the claims' least bytes
   */
  public Decision decide(List<Claim> claims, FastSplit now, SplitHistory history) {
    FastSplit best = BestSplit.of(budgetBytes, claims, now);
    double nowSeconds = seconds(claims, now);
    double gain = seconds(claims, best) - nowSeconds;
    if (!within(claims, now)) {
      return moved(best, gain, "a use had fewer bytes than it must have, or all had too many");
    }
    if (best.equals(now) || gain <= 0) {
      return stays(now, gain, "no other split saves more");
    }
    double lost =
        claims.stream().mapToDouble(claim -> claim.seconds(claim.mostBytes())).sum() - nowSeconds;
    if (gain < LEAST_GAIN * lost || gain < LEAST_GAIN_SECONDS) {
      return stays(
          now,
          gain,
          "the best split saves too little: less than 4 % of what more DRAM would save, or 0.1 us");
    }
    if (gain * HORIZON_SECONDS < COST_SHARE * history.moveSeconds(now, best)) {
      return stays(now, gain, "a move costs more than half of what it saves in ten minutes");
    }
    if (history.secondsSinceTurn() < HORIZON_SECONDS && history.turns(now, best)) {
      return stays(now, gain, "a use changed its direction within the last ten minutes");
    }
    return moved(best, gain, "it saves more");
  }

  /** Returns the seconds that all claims together save in each second under a split. */
  public static double seconds(List<Claim> claims, FastSplit split) {
    return claims.stream().mapToDouble(claim -> claim.seconds(split.of(claim.use()))).sum();
  }

  private boolean within(List<Claim> claims, FastSplit split) {
    return split.bytes() <= budgetBytes
        && claims.stream().allMatch(claim -> split.of(claim.use()) >= claim.leastBytes());
  }

  private static Decision moved(FastSplit split, double gain, String why) {
    return new Decision(split, true, gain, said(gain, why));
  }

  private static Decision stays(FastSplit now, double gain, String why) {
    return new Decision(now, false, gain, said(gain, why));
  }

  private static String said(double gain, String why) {
    return String.format(Locale.ROOT, "%s (%.4g s more saved in each second)", why, gain);
  }
}
