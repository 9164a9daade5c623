package io.idlalayer.middleware.cache;

/**
 * Computes how the weight of the measured references of a cache decreases over time: after a
 * minute, {@value #KEEP_PER_MINUTE} of the weight is left. All owners of a cache call this object
 * from time to time. Together they reduce the weight only by the time that has passed, whatever
 * their number. Guarded by the lock of the object's owner.
 */
final class ReferenceAge {
  static final double KEEP_PER_MINUTE = 0.9;

  private static final double NANOS_PER_MINUTE = 60e9;

  private boolean asked;
  private long askedNanos;

  /**
   * Returns the factor of the weights since the last call; 1 in the first one.
   *
   * @param nanos time of a monotonic clock; if it is before the time of the last call, no time has
   *     passed
   */
  double keep(long nanos) {
    long passed = asked ? Math.max(0, nanos - askedNanos) : 0;
    if (!asked || passed > 0) {
      askedNanos = nanos;
    }
    asked = true;
    return Math.pow(KEEP_PER_MINUTE, passed / NANOS_PER_MINUTE);
  }
}
