package io.idlalayer.middleware.cache.policy;

import java.util.Arrays;

/**
 * The share of references that a least-recently-used cache would answer, as a function of its
 * capacity: one minus the measured miss-ratio curve. Immutable.
 */
public final class HitCurve {
  private final double grainBytes;
  private final double[] hitsUpTo;
  private final double references;

  /**
   * Creates a curve from a histogram of reuse distances.
   *
   * @param grainBytes capacity that one bucket spans, positive
   * @param distances references by reuse distance: bucket i has the references that need more than
   *     {@code i} and at most {@code i + 1} grains. The first bucket can be negative, to correct
   *     for references that are counted too often in the other buckets
   * @param references number of all references, including those that no capacity could answer
   */
  public HitCurve(double grainBytes, double[] distances, double references) {
    if (!(grainBytes > 0) || !(references >= 0)) {
      throw new IllegalArgumentException(
          "a hit curve with a grain of %s bytes and %s references; the grain must be above 0, and the references at least 0"
              .formatted(grainBytes, references));
    }
    this.grainBytes = grainBytes;
    this.references = references;
    hitsUpTo = distances.clone();
    Arrays.parallelPrefix(hitsUpTo, Double::sum);
  }

  /**
   * Returns the weighted number of measured references, in which older references can count less.
   */
  public double references() {
    return references;
  }

  /**
   * Returns the hit ratio, 0 to 1, of a cache with a capacity in bytes. It is linear within a
   * bucket, constant beyond the last bucket, and 0 before the first reference.
   */
  public double hitRatio(double capacityBytes) {
    double at = capacityBytes / grainBytes;
    if (references == 0 || !(at > 0)) {
      return 0;
    }
    int whole = (int) Math.min(at, hitsUpTo.length);
    double hits = whole == 0 ? 0 : hitsUpTo[whole - 1];
    if (whole < hitsUpTo.length) {
      hits += (at - whole) * (hitsUpTo[whole] - hits);
    }
    return Math.max(0, Math.min(1, hits / references));
  }
}
