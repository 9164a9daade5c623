package io.idlalayer.middleware.cache;

import io.idlalayer.middleware.cache.policy.PolicyName;

/**
 * Settings of a cache.
 *
 * @param ceilingBytes most off-heap bytes that all donations may add up to
 */
public record CacheSettings(long ceilingBytes, PolicyName policy) {
  private static final int REGION_BYTES_MAX = 1 << 20;
  private static final int REGION_BYTES_MIN = 1 << 12;
  private static final int REGIONS_PER_SEGMENT = 16;
  private static final int SEGMENTS_MAX = 16;
  private static final long SEGMENT_BYTES_MIN = 8L << 20;

  public CacheSettings {
    if (ceilingBytes < 0) {
      throw new IllegalArgumentException("a ceiling of " + ceilingBytes + " bytes is negative");
    }
  }

  /** Parts with a lock each: more in larger caches, one in small ones. */
  int segments() {
    long wanted = Math.max(1, Math.min(SEGMENTS_MAX, ceilingBytes / SEGMENT_BYTES_MIN));
    return (int) Long.highestOneBit(wanted);
  }

  /** Bytes of one region: the grain of donations, and more than the largest block. */
  int regionBytes() {
    long wanted = ceilingBytes / segments() / REGIONS_PER_SEGMENT;
    return (int) Math.max(REGION_BYTES_MIN, Math.min(REGION_BYTES_MAX, Long.highestOneBit(wanted)));
  }
}
