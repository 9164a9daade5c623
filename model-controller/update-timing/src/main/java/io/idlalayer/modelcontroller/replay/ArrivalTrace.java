package io.idlalayer.modelcontroller.replay;

import io.idlalayer.middleware.primitive.Nanos;
import java.util.Arrays;

/**
 * A recording of arrivals, as runs of arrivals at equal times, in ascending order. The first run
 * has the time 0. Immutable.
 */
public final class ArrivalTrace {
  private final long[] times;
  private final int[] counts;
  private final long arrivals;

  private ArrivalTrace(long[] times, int[] counts) {
    this.times = times;
    this.counts = counts;
    long sum = 0;
    for (int count : counts) {
      sum += count;
    }
    arrivals = sum;
  }

  /** Returns a trace with one arrival at each of the given times, which ascend. */
  public static ArrivalTrace of(long... ascendingNanos) {
    Builder builder = new Builder();
    for (long nanos : ascendingNanos) {
      builder.add(nanos, 1);
    }
    return builder.build();
  }

  /** Returns a trace with one arrival at each of the given times, in seconds and ascending. */
  public static ArrivalTrace ofSeconds(double... ascending) {
    return of(
        Arrays.stream(ascending)
            .mapToLong(seconds -> Math.round(seconds * Nanos.PER_SECOND))
            .toArray());
  }

  /** Returns the number of different arrival times. */
  public int runs() {
    return times.length;
  }

  /** Returns the arrival time of a run, in nanoseconds after the first arrival. */
  public long timeNanos(int run) {
    return times[run];
  }

  /** Returns the number of arrivals in a run, at least 1. */
  public int count(int run) {
    return counts[run];
  }

  /** Returns the total number of arrivals. */
  public long arrivals() {
    return arrivals;
  }

  /** Returns the seconds from the first arrival to the last. */
  public double spanSeconds() {
    return times.length == 0 ? 0 : Nanos.toSeconds(times[times.length - 1]);
  }

  /**
   * Returns the time of every arrival in seconds after the first one, ascending.
   *
   * @throws ArithmeticException if there are more arrivals than an array can have
   */
  public double[] seconds() {
    double[] seconds = new double[Math.toIntExact(arrivals)];
    int at = 0;
    for (int run = 0; run < times.length; run++) {
      Arrays.fill(seconds, at, at + counts[run], Nanos.toSeconds(times[run]));
      at += counts[run];
    }
    return seconds;
  }

  /** Collects arrivals in any order and builds a trace. Not thread-safe. */
  public static final class Builder {
    private long[] times = new long[1024];
    private int[] counts = new int[1024];
    private int size;
    private long latest = Long.MIN_VALUE;
    private long outOfOrder;

    /** Adds {@code count} arrivals at a time; does nothing if the count is 0. */
    public Builder add(long nanos, int count) {
      if (count < 0) {
        throw new IllegalArgumentException("count=" + count + " arrivals must not be negative");
      }
      if (count == 0) {
        return this;
      }
      if (nanos < latest) {
        outOfOrder++;
      }
      latest = Math.max(latest, nanos);
      if (size > 0 && times[size - 1] == nanos) {
        counts[size - 1] = Math.addExact(counts[size - 1], count);
        return this;
      }
      if (size == times.length) {
        times = Arrays.copyOf(times, size * 2);
        counts = Arrays.copyOf(counts, size * 2);
      }
      times[size] = nanos;
      counts[size++] = count;
      return this;
    }

    /** Returns how many additions had an earlier time than the addition before. */
    public long outOfOrder() {
      return outOfOrder;
    }

    /**
     * Returns the trace.
     *
     * @throws ArithmeticException if the first arrival and the last are more than 2^63 nanoseconds
     *     apart
     */
    public ArrivalTrace build() {
      if (outOfOrder > 0) {
        sort();
      }
      long[] shifted = Arrays.copyOf(times, size);
      for (int i = 0; i < size; i++) {
        shifted[i] = Math.subtractExact(shifted[i], times[0]);
      }
      return new ArrivalTrace(shifted, Arrays.copyOf(counts, size));
    }

    private void sort() {
      Integer[] order = new Integer[size];
      Arrays.setAll(order, i -> i);
      Arrays.sort(order, (a, b) -> Long.compare(times[a], times[b]));
      Builder sorted = new Builder();
      for (int i : order) {
        sorted.add(times[i], counts[i]);
      }
      times = sorted.times;
      counts = sorted.counts;
      size = sorted.size;
    }
  }
}
