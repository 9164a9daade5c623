package io.idlalayer.jobs.learner.state;

import java.time.InstantSource;
import java.util.function.LongSupplier;

/**
 * The clock that a learner measures waiting times with, which is never set back. It starts with the
 * epoch milliseconds at which the learner was opened, and continues with a monotonic clock, so that
 * changes of the wall clock do not disturb waiting times. Timestamps that others see are read from
 * the wall clock. Confined to one thread.
 */
public final class LearnerClock {
  private final InstantSource wall;
  private final LongSupplier nanoTime;
  private long startMillis;
  private long startNanos;

  /**
   * @param nanoTime nanoseconds of a clock that is never set, such as {@link System#nanoTime}
   */
  public LearnerClock(InstantSource wall, LongSupplier nanoTime) {
    this.wall = wall;
    this.nanoTime = nanoTime;
    start(Long.MIN_VALUE);
  }

  /** Returns the monotonic clock that durations are measured with. */
  public LongSupplier nanoTime() {
    return nanoTime;
  }

  /**
   * Starts this clock at the wall clock's time, but not before a time that was restored from state,
   * in epoch milliseconds.
   */
  public void start(long rememberedMillis) {
    startMillis = Math.max(wall.millis(), rememberedMillis);
    startNanos = nanoTime.getAsLong();
  }

  /** Returns the current moment, which is never before an earlier one. */
  public LearnerTime now() {
    long passedNanos = nanoTime.getAsLong() - startNanos;
    return new LearnerTime(startMillis + LearnerTime.millisNotAfter(passedNanos));
  }

  /** Returns the wall clock's time, epoch milliseconds. */
  public long wallMillis() {
    return wall.millis();
  }

  /** Returns the milliseconds to add to a moment of this clock to get the wall clock's time. */
  public long toWallMillis() {
    return wall.millis() - now().millis();
  }
}
