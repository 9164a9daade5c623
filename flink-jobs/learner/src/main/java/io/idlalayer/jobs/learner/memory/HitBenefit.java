package io.idlalayer.jobs.learner.memory;

import io.idlalayer.middleware.cache.budget.BenefitCurve;
import io.idlalayer.middleware.cache.policy.HitCurve;

/**
 * Computes how much time a cache of a given size saves: the number of hits, times the seconds that
 * a read from the store takes.
 */
public final class HitBenefit {
  /** Number of pieces of a curve. */
  private static final int PIECES = 64;

  /**
   * Assumed seconds of a read from the store before a read was measured. The next constant is the
   * weight of this assumption.
   */
  private static final double USUAL_SECONDS = 10e-6;

  private static final int USUAL_READS = 16;

  private HitBenefit() {}

  /**
   * Returns the curve.
   *
   * @param besideBytes bytes of the cache that other learners give; negative if bytes are used for
   *     something else
   * @param referencesPerSecond lookups in each second
   * @param secondsOfRead seconds by which a lookup with a miss takes longer than a hit
   */
  public static BenefitCurve of(
      HitCurve hits,
      long besideBytes,
      long mostBytes,
      double referencesPerSecond,
      double secondsOfRead) {
    int pieces = (int) Math.min(PIECES, Math.max(1, mostBytes));
    long[] bytes = new long[pieces + 1];
    double[] seconds = new double[pieces + 1];
    for (int i = 0; i <= pieces; i++) {
      bytes[i] = mostBytes * i / pieces;
      double ratio = hits.hitRatio((double) besideBytes + bytes[i]);
      seconds[i] = referencesPerSecond * secondsOfRead * ratio;
    }
    return new BenefitCurve(bytes, seconds);
  }

  /** Returns the seconds that a read from the store takes, as measured so far. */
  public static double secondsOfRead(double waitedSeconds, long reads) {
    return (waitedSeconds + USUAL_READS * USUAL_SECONDS) / (reads + USUAL_READS);
  }
}
