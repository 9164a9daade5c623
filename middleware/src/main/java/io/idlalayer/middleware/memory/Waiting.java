package io.idlalayer.middleware.memory;

/** A bounded wait on an object's monitor. */
final class Waiting {
  private static final long NANOS_PER_MILLI = 1_000_000;

  private final MemObject object;
  private final long timeoutNanos;
  private final String what;
  private long sinceNanos = Long.MIN_VALUE;

  Waiting(MemObject object, long timeoutNanos, String what) {
    this.object = object;
    this.timeoutNanos = timeoutNanos;
    this.what = what;
  }

  /**
   * Waits until somebody changes the object, or a while. The monitor is held.
   *
   * @throws LeaseTimeoutException once the whole wait took too long
   */
  @SuppressWarnings("WaitNotInLoop") // The callers loop.
  void once() throws InterruptedException {
    long now = System.nanoTime();
    if (sinceNanos == Long.MIN_VALUE) {
      sinceNanos = now;
    }
    long leftNanos = timeoutNanos - (now - sinceNanos);
    if (leftNanos <= 0) {
      throw new LeaseTimeoutException(
          "%s: %s had to wait more than %d ms for those who read, write or move it; close their leases"
              .formatted(object, what, timeoutNanos / NANOS_PER_MILLI));
    }
    object.wait(Math.max(1, leftNanos / NANOS_PER_MILLI));
  }
}
