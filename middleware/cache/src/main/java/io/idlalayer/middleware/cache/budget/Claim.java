package io.idlalayer.middleware.cache.budget;

/**
 * The claim of one use of DRAM.
 *
 * @param leastBytes bytes that the use must have, at least 0
 * @param mostBytes largest number of bytes that the use can need, at least {@code leastBytes}
 * @param curve seconds that the use saves with a number of bytes
 * @param form how bytes between two points of the curve are valued
 */
public record Claim(FastUse use, long leastBytes, long mostBytes, BenefitCurve curve, Form form) {
  /** How the bytes between two points of a curve are valued. */
  public enum Form {
    /**
     * By the least concave curve above the points. Curves are measured for least-recently-used
     * caches, which can have a steep step. Caches that choose what they keep come close to the
     * concave curve even at such a step (Talus, Beckmann and Sanchez 2015).
     */
    CONCAVE,
    /**
     * By the next smaller point: a plan that needs a gigabyte saves nothing with half of it. A
     * claim of this form gets the bytes of a point, or its least bytes.
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
