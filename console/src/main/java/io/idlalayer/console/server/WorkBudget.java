package io.idlalayer.console.server;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * A budget of processor time for answers, so that a client that floods the console uses only a
 * small part of the machine. The budget is a bucket that is filled at a steady rate. An answer can
 * start while the bucket is not empty, and its time is charged when it is done, so the level can
 * become negative. Thread-safe.
 */
final class WorkBudget {
  private final double share;
  private final double mostNanos;
  private final LongSupplier nanoTime;
  private double nanos;
  private long filledAt;

  /**
   * @param share share of one processor that answers can use in the long run, above 0
   * @param most largest processor time that can be used at once after an idle period
   * @param nanoTime a monotonic clock
   */
  WorkBudget(double share, Duration most, LongSupplier nanoTime) {
    this.share = share;
    mostNanos = (double) most.toNanos();
    this.nanoTime = nanoTime;
    nanos = mostNanos;
    filledAt = nanoTime.getAsLong();
  }

  /** Returns the nanoseconds until an answer can begin; 0 if it can begin now. */
  synchronized long waitNanos() {
    fill();
    return nanos > 0 ? 0 : (long) Math.ceil((1 - nanos) / share);
  }

  /**
   * Waits until an answer can begin.
   *
   * @param patience longest time to wait
   * @return false if the wait would be longer. The method returns at once if this is already known;
   *     otherwise it returns after a wait during which other answers have used more of the budget
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

  /** Charges the processor time of an answer. */
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
