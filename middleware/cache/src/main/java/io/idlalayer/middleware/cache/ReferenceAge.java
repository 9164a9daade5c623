package io.idlalayer.middleware.cache;

/**
 * How much less the measured references of a cache count as time passes: after a minute {@value
 * #KEEP_PER_MINUTE} of their weight is left. Owners of a cache ask from time to time; together they
 * reduce the weight by the time that has passed, however many they are. Guarded by its owner's
 * lock.
 */
final class ReferenceAge {
  static final double KEEP_PER_MINUTE = 0.9;

  private static final double NANOS_PER_MINUTE = 60e9;

  private boolean asked;
  private long askedNanos;

  /**
   * Returns the factor of the weights since the last call; 1 in the first one.
   *
   * @param nanos time of a monotonic clock; of a time before the last one, nothing has passed
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
