package io.idlalayer.middleware.cache;

import io.idlalayer.middleware.cache.policy.PolicyName;
import io.idlalayer.middleware.cache.policy.ReuseDistances;

/**
 * Settings of the shared cache: the limit of its size and its eviction policy.
 *
 * @param ceilingBytes largest sum of all donations in off-heap bytes, 0 to 512 GiB
 */
public record CacheSettings(long ceilingBytes, PolicyName policy) {
  private static final int REGION_BYTES_MAX = 1 << 20;
  private static final int REGION_BYTES_MIN = 1 << 12;
  private static final int REGIONS_PER_SEGMENT = 16;
  private static final int SEGMENTS_MAX = 16;
  private static final int METER_KEYS = 2048;
  private static final int METER_BUCKETS = 512;
  private static final long SEGMENT_BYTES_MIN = 8L << 20;

  /**
   * Largest ceiling in bytes: a block's address in a segment is an int that counts units of 16
   * bytes.
   */
  private static final long CEILING_BYTES_MAX = SEGMENTS_MAX * (32L << 30);

  public CacheSettings {
    if (ceilingBytes < 0) {
      throw new IllegalArgumentException("a ceiling of " + ceilingBytes + " bytes is negative");
    }
    if (ceilingBytes > CEILING_BYTES_MAX) {
      throw new IllegalArgumentException(
          "a ceiling of %,d bytes is above %,d, the most that blocks can be addressed in"
              .formatted(ceilingBytes, CEILING_BYTES_MAX));
    }
  }

  /**
   * Returns the number of segments, each with its own lock. Small caches have one segment, and
   * larger caches have more.
   */
  public int segments() {
    long wanted = Math.max(1, Math.min(SEGMENTS_MAX, ceilingBytes / SEGMENT_BYTES_MIN));
    return (int) Long.highestOneBit(wanted);
  }

  /**
   * Returns the bytes of one region, the unit in which segments use donations; a block is smaller
   * than a region.
   */
  public int regionBytes() {
    long wanted = ceilingBytes / segments() / REGIONS_PER_SEGMENT;
    return (int) Math.max(REGION_BYTES_MIN, Math.min(REGION_BYTES_MAX, Long.highestOneBit(wanted)));
  }

  /**
   * Returns the dimensions for measuring reuse distances: distances up to the ceiling, in 512
   * buckets, measured on 2048 keys of each segment.
   */
  ReuseDistances.Shape meterShape() {
    long grain = Math.max(1, (ceilingBytes + METER_BUCKETS - 1) / METER_BUCKETS);
    return new ReuseDistances.Shape(METER_KEYS, grain, METER_BUCKETS, segments());
  }
}
