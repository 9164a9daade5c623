package io.idlalayer.jobs.operator;

import java.time.InstantSource;
import java.util.function.LongSupplier;

/**
 * A learner's time: epoch milliseconds when it was opened, and from then on those of a monotonic
 * clock, so that nothing that waits is disturbed by a wall clock that is set. The wall clock is
 * read for the stamps that people and other programs see. Confined to one thread.
 */
final class LearnerClock {
  private static final long NANOS_PER_MILLI = 1_000_000;

  private final InstantSource wall;
  private final LongSupplier nanoTime;
  private long startMillis;
  private long startNanos;

  /**
   * @param nanoTime nanoseconds of a clock that is never set, such as {@link System#nanoTime}
   */
  LearnerClock(InstantSource wall, LongSupplier nanoTime) {
    this.wall = wall;
    this.nanoTime = nanoTime;
    start(Long.MIN_VALUE);
  }

  /** Starts at the wall clock's time, but not before a moment that is remembered. */
  void start(long rememberedMillis) {
    startMillis = Math.max(wall.millis(), rememberedMillis);
    startNanos = nanoTime.getAsLong();
  }

  /** Now; never less than before. */
  long millis() {
    return startMillis + (nanoTime.getAsLong() - startNanos) / NANOS_PER_MILLI;
  }

  /** Now by the wall clock, epoch milliseconds. */
  long wallMillis() {
    return wall.millis();
  }

  /** What to add to a moment of this clock to have it as the wall clock tells it now. */
  long toWallMillis() {
    return wall.millis() - millis();
  }
}
