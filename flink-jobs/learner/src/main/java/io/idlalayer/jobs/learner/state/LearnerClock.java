package io.idlalayer.jobs.learner.state;

import java.time.InstantSource;
import java.util.function.LongSupplier;

/**
 * A learner's time: epoch milliseconds when it was opened, and from then on those of a monotonic
 * clock, so that nothing that waits is disturbed by a wall clock that is set. The wall clock is
 * read for the stamps that people and other programs see. Confined to one thread.
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

  /** The monotonic clock, for durations. */
  public LongSupplier nanoTime() {
    return nanoTime;
  }

  /** Starts at the wall clock's time, but not before a moment that is remembered. */
  public void start(long rememberedMillis) {
    startMillis = Math.max(wall.millis(), rememberedMillis);
    startNanos = nanoTime.getAsLong();
  }

  /** Now; never less than before. */
  public LearnerTime now() {
    long passedNanos = nanoTime.getAsLong() - startNanos;
    return new LearnerTime(startMillis + LearnerTime.millisNotAfter(passedNanos));
  }

  /** Now by the wall clock, epoch milliseconds. */
  public long wallMillis() {
    return wall.millis();
  }

  /** What to add to a moment of this clock to have it as the wall clock tells it now. */
  public long toWallMillis() {
    return wall.millis() - now().millis();
  }
}
