package io.idlalayer.console.server;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * How much processor time answers may take, so that whoever floods the console takes little of the
 * machine: a bucket that fills at a steady rate. An answer begins while there is something in it,
 * and is paid when it is done; so the bucket may go below empty. May be shared between threads.
 */
final class WorkBudget {
  private final double share;
  private final double mostNanos;
  private final LongSupplier nanoTime;
  private double nanos;
  private long filledAt;

  /**
   * @param share of one processor that may be taken for long, above 0
   * @param most processor time that may be taken at once, when little was taken before
   * @param nanoTime a monotonic clock
   */
  WorkBudget(double share, Duration most, LongSupplier nanoTime) {
    this.share = share;
    mostNanos = (double) most.toNanos();
    this.nanoTime = nanoTime;
    nanos = mostNanos;
    filledAt = nanoTime.getAsLong();
  }

  /** Nanoseconds until an answer may begin; 0 if one may begin now. */
  synchronized long waitNanos() {
    fill();
    return nanos > 0 ? 0 : (long) Math.ceil((1 - nanos) / share);
  }

  /**
   * Waits until an answer may begin.
   *
   * @param patience longest time to wait
   * @return false if that would take longer: at once if it is known at once, or after a wait for
   *     which others have spent more meanwhile
   */
  synchronized boolean await(Duration patience) throws InterruptedException {
    long until = nanoTime.getAsLong() + patience.toNanos();
    for (long wait = waitNanos(); wait > 0; wait = waitNanos()) {
      if (nanoTime.getAsLong() + wait > until) {
        return false;
      }
      wait(wait / 1_000_000 + 1);
    }
    return true;
  }

  /** An answer has taken so much processor time. */
  synchronized void spent(long processorNanos) {
    fill();
    nanos -= (double) Math.max(0, processorNanos);
  }

  private void fill() {
    long now = nanoTime.getAsLong();
    nanos = Math.min(mostNanos, nanos + share * (double) (now - filledAt));
    filledAt = now;
  }
}
