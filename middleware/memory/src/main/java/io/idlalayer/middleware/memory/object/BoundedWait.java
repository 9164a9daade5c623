package io.idlalayer.middleware.memory.object;

/** Waits on an object's monitor for at most a given time, over several calls. */
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
   * Waits until another thread changes the object, or for a short time. The caller holds the
   * monitor and checks its condition again.
   *
   * @throws LeaseTimeoutException if the waits together took too long; time in which a copy of the
   *     object makes progress does not count
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
          "%s: %s waited more than %d ms for other leases and moves of the object; close them"
              .formatted(object, what, timeoutNanos / NANOS_PER_MILLI));
    }
    pause(leftNanos);
  }

  /**
   * Waits like {@link #once}, but returns false once the waits together have taken a given time.
   */
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
