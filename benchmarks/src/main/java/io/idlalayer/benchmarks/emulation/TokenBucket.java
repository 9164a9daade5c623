package io.idlalayer.benchmarks.emulation;

/** Lets bytes pass at a rate, with a burst. Any thread. */
final class TokenBucket {
  private static final double BURST_BYTES = 256 << 10;
  private static final double NANOS_PER_SECOND = 1e9;

  private final double nanosPerByte;
  private final long burstNanos;
  private boolean started;
  private long emptyUntilNanos;

  TokenBucket(double bytesPerSecond) {
    nanosPerByte = NANOS_PER_SECOND / bytesPerSecond;
    burstNanos = (long) (BURST_BYTES * nanosPerByte);
  }

  /** Takes bytes, and returns the time at which they have passed. */
  synchronized long reserve(long bytes, long nowNanos) {
    long earliest = nowNanos - burstNanos;
    if (!started || emptyUntilNanos - earliest < 0) {
      started = true;
      emptyUntilNanos = earliest;
    }
    return take(bytes);
  }

  /**
   * Takes bytes without a burst, and returns the time at which they have passed. For copies of
   * which only the end counts: a burst would make those after a pause faster than the device.
   */
  synchronized long reserveWithoutBurst(long bytes, long nowNanos) {
    if (!started || emptyUntilNanos - nowNanos < 0) {
      started = true;
      emptyUntilNanos = nowNanos;
    }
    return take(bytes);
  }

  private long take(long bytes) {
    emptyUntilNanos += (long) (bytes * nanosPerByte);
    return emptyUntilNanos;
  }
}
