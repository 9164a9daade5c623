package io.idlalayer.middleware.memory.object;

/** A bounded wait on an object's monitor. */
final class BoundedWait {
  private static final long NANOS_PER_MILLI = 1_000_000;

  private final MemObject object;
  private final long timeoutNanos;
  private final String what;
  private long firstNanos = Long.MIN_VALUE;
  private long sinceNanos;
  private long progress;

  BoundedWait(MemObject object, long timeoutNanos, String what) {
    this.object = object;
    this.timeoutNanos = timeoutNanos;
    this.what = what;
  }

  /**
   * Waits until somebody changes the object, or a while. The monitor is held.
   *
   * @throws LeaseTimeoutException once the whole wait took too long; time in which the object is
   *     being copied, however slowly, does not count
   */
  void once() throws InterruptedException {
    long now = System.nanoTime();
    long copied = object.progress();
    if (start(now) || copied != progress) {
      sinceNanos = now;
      progress = copied;
    }
    long leftNanos = timeoutNanos - (now - sinceNanos);
    if (leftNanos <= 0) {
      throw new LeaseTimeoutException(
          "%s: %s had to wait more than %d ms for those who read, write or move it; close their leases"
              .formatted(object, what, timeoutNanos / NANOS_PER_MILLI));
    }
    pause(leftNanos);
  }

  /** Waits the same way, but says no instead of throwing, once all waits took that long. */
  boolean within(long mostNanos) throws InterruptedException {
    long now = System.nanoTime();
    if (start(now)) {
      sinceNanos = now;
      progress = object.progress();
    }
    long leftNanos = mostNanos - (now - firstNanos);
    if (leftNanos <= 0) {
      return false;
    }
    pause(leftNanos);
    return true;
  }

  private boolean start(long now) {
    boolean first = firstNanos == Long.MIN_VALUE;
    firstNanos = first ? now : firstNanos;
    return first;
  }

  @SuppressWarnings("WaitNotInLoop") // The callers loop.
  private void pause(long leftNanos) throws InterruptedException {
    object.wait(Math.max(1, leftNanos / NANOS_PER_MILLI));
  }
}
