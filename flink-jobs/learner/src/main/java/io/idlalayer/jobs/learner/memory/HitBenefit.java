package io.idlalayer.jobs.learner.memory;

import io.idlalayer.middleware.cache.budget.BenefitCurve;
import io.idlalayer.middleware.cache.policy.HitCurve;

/** What a cache saves by its size: hits, times the seconds that a read from the store takes. */
public final class HitBenefit {
  /** Number of pieces of a curve. */
  private static final int PIECES = 64;

  /** Seconds of a read from the store before any was measured, and the weight of this guess. */
  private static final double USUAL_SECONDS = 10e-6;

  private static final int USUAL_READS = 16;

  private HitBenefit() {}

  /**
   * Returns the curve.
   *
   * @param besideBytes bytes of the cache that others give, or negative bytes that are used
   *     otherwise
   * @param referencesPerSecond lookups in each second
   * @param secondsOfRead what a lookup takes longer that misses
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
