package io.idlalayer.jobs.produce;

import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * Spaces records evenly: record i is due i/rate seconds after the start, where the rate is in
 * events per second. After a stall it catches up at most a second.
 */
final class Pacer {
  private static final long NANOS_PER_SECOND = 1_000_000_000L;

  private final double eventsPerSecond;
  private final LongSupplier nanoClock;
  private long startNanos;
  private long sent;

  /**
   * @param eventsPerSecond rate; 0 for as fast as possible
   */
  Pacer(double eventsPerSecond, LongSupplier nanoClock) {
    this.eventsPerSecond = eventsPerSecond;
    this.nanoClock = nanoClock;
    startNanos = nanoClock.getAsLong();
  }

  /** Returns the nanoseconds until the next record is due, 0 if it is due. */
  long nanosUntilDue() {
    if (eventsPerSecond <= 0) {
      return 0;
    }
    long due = startNanos + (long) (sent * (NANOS_PER_SECOND / eventsPerSecond));
    long now = nanoClock.getAsLong();
    if (now - due > NANOS_PER_SECOND) {
      startNanos += now - due - NANOS_PER_SECOND;
    }
    return Math.max(0, due - now);
  }

  void sent() {
    sent++;
  }

  /** Waits until the next record is due. */
  void await() throws InterruptedException {
    for (long left = nanosUntilDue(); left > 0; left = nanosUntilDue()) {
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      LockSupport.parkNanos(left);
    }
  }
}
