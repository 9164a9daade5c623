package io.idlalayer.middleware.placement.plan;

import java.util.Arrays;

/** Median of the last durations of a step. One thread at a time. */
final class StepDurations {
  private static final int MOST = 9;

  private final long[] nanos = new long[MOST];
  private int count;

  void add(long duration) {
    nanos[count++ % MOST] = duration;
  }

  /** Returns the number of durations so far. */
  int count() {
    return count;
  }

  void clear() {
    count = 0;
  }

  /** Returns the median in nanoseconds; 0 if there was no duration. */
  long medianNanos() {
    int known = Math.min(count, MOST);
    long[] sorted = Arrays.copyOf(nanos, known);
    Arrays.sort(sorted);
    return known == 0 ? 0 : sorted[known / 2];
  }
}
