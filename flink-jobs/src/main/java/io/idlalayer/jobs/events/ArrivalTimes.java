package io.idlalayer.jobs.events;

import java.util.Arrays;

/**
 * When the new samples of an update arrived, as runs of equal times, ascending.
 *
 * @param firstMillis epoch milliseconds of the oldest
 * @param afterMillis of each run, after the oldest
 * @param counts samples of each run
 */
public record ArrivalTimes(long firstMillis, long[] afterMillis, int[] counts) {
  /** From one time per sample, in any order; null for none. */
  public static ArrivalTimes of(long[] millis) {
    long[] sorted = millis.clone();
    Arrays.sort(sorted);
    long[] after = new long[sorted.length];
    int[] counts = new int[sorted.length];
    int runs = 0;
    for (long time : sorted) {
      long delta = time - sorted[0];
      if (runs == 0 || after[runs - 1] != delta) {
        after[runs++] = delta;
      }
      counts[runs - 1]++;
    }
    return new ArrivalTimes(
        sorted.length == 0 ? 0 : sorted[0],
        Arrays.copyOf(after, runs),
        Arrays.copyOf(counts, runs));
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ArrivalTimes times
        && firstMillis == times.firstMillis
        && Arrays.equals(afterMillis, times.afterMillis)
        && Arrays.equals(counts, times.counts);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(afterMillis) * 31 + Arrays.hashCode(counts);
  }

  @Override
  public String toString() {
    return "ArrivalTimes[" + Arrays.stream(counts).sum() + " from " + firstMillis + "]";
  }
}
