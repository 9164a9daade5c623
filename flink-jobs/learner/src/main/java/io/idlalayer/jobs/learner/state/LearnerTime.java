package io.idlalayer.jobs.learner.state;

import java.util.concurrent.TimeUnit;

/**
 * A moment of a learner's clock, in milliseconds. The data controller counts milliseconds, the
 * update controller nanoseconds of the same clock.
 *
 * @param millis epoch milliseconds, see {@link LearnerClock}
 */
public record LearnerTime(long millis) {
  private static final long NANOS_PER_MILLI = TimeUnit.MILLISECONDS.toNanos(1);

  /** Returns this moment in nanoseconds. */
  public long nanos() {
    return nanos(millis);
  }

  public static long nanos(long millis) {
    return TimeUnit.MILLISECONDS.toNanos(millis);
  }

  /** Returns the last whole millisecond that is not after a time in nanoseconds. */
  public static long millisNotAfter(long nanos) {
    return Math.floorDiv(nanos, NANOS_PER_MILLI);
  }

  /** Returns the first whole millisecond that is not before a time in nanoseconds. */
  public static long millisNotBefore(long nanos) {
    return -Math.floorDiv(-nanos, NANOS_PER_MILLI);
  }

  /**
   * Returns the seconds from this moment to a time in nanoseconds; negative if that time is past.
   */
  public double secondsTo(long nanos) {
    return (nanos - nanos()) / 1e9;
  }
}
