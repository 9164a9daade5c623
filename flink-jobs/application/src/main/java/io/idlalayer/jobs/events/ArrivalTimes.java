package io.idlalayer.jobs.events;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Arrival times of an update's new samples, as runs of equal times, ascending. The times of an
 * update with many different times are split into parts, one event for each part, so that events
 * stay small.
 *
 * @param firstMillis epoch milliseconds of the oldest arrival in this part
 * @param afterMillis milliseconds of each run after {@code firstMillis}
 * @param counts number of samples of each run
 * @param part number of this part, 1 to {@code parts}
 * @param parts number of parts of the update
 */
public record ArrivalTimes(
    long firstMillis, long[] afterMillis, int[] counts, int part, int parts) {
  /** Largest number of runs of a part. */
  public static final int RUNS = 4_096;

  /** Creates the only part of an update. */
  public ArrivalTimes(long firstMillis, long[] afterMillis, int[] counts) {
    this(firstMillis, afterMillis, counts, 1, 1);
  }

  /** Creates the arrival times from one time per sample, in any order, as a single part. */
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

  /** Splits these times into parts of at most {@link #RUNS} runs; returns at least one part. */
  public List<ArrivalTimes> split() {
    int all = Math.max(1, (counts.length + RUNS - 1) / RUNS);
    List<ArrivalTimes> split = new ArrayList<>(all);
    for (int number = 1; number <= all; number++) {
      int from = (number - 1) * RUNS;
      int to = Math.min(counts.length, from + RUNS);
      long oldest = from == to ? 0 : afterMillis[from];
      split.add(
          new ArrivalTimes(
              firstMillis + oldest,
              Arrays.stream(afterMillis, from, to).map(after -> after - oldest).toArray(),
              Arrays.copyOfRange(counts, from, to),
              number,
              all));
    }
    return split;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ArrivalTimes times
        && firstMillis == times.firstMillis
        && part == times.part
        && parts == times.parts
        && Arrays.equals(afterMillis, times.afterMillis)
        && Arrays.equals(counts, times.counts);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(afterMillis) * 31 + Arrays.hashCode(counts);
  }

  @Override
  public String toString() {
    return "ArrivalTimes[%d from %d, part %d of %d]"
        .formatted(Arrays.stream(counts).sum(), firstMillis, part, parts);
  }
}
