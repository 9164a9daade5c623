package io.idlalayer.middleware.cache.budget;

/**
 * What one use of DRAM would make of it.
 *
 * @param leastBytes what it must have, at least 0
 * @param mostBytes more is of no use to it, at least {@code leastBytes}
 * @param curve what it saves
 * @param form whether it saves something between two points of its curve
 */
public record Claim(FastUse use, long leastBytes, long mostBytes, BenefitCurve curve, Form form) {
  /** How the bytes between two points of a curve are valued. */
  public enum Form {
    /**
     * By the least concave curve above the points. Caches that choose what they keep come close to
     * it also where a least-recently-used one, by which curves are measured, has a cliff (Talus,
     * Beckmann and Sanchez 2015).
     */
    CONCAVE,
    /**
     * By the next smaller point: a plan that needs a gigabyte saves nothing with half of it. Such a
     * claim gets the bytes of a point, or its least.
     */
    STEPS
  }

  public Claim {
    if (leastBytes < 0 || mostBytes < leastBytes) {
      throw new IllegalArgumentException(
          "%s claim %,d to %,d bytes of DRAM".formatted(use, leastBytes, mostBytes));
    }
  }

  /** Returns the seconds saved in each second with a number of bytes within the bounds. */
  public double seconds(long bytes) {
    return form == Form.STEPS ? curve.stepAt(bytes) : curve.at(bytes);
  }
}
