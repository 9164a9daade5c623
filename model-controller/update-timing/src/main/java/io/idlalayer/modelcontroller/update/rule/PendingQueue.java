package io.idlalayer.modelcontroller.update.rule;

import io.idlalayer.middleware.primitive.Nanos;
import java.util.Arrays;

/**
 * Arrival times of the samples that wait, oldest first, as runs of equal times. No allocation in a
 * steady state; removing is amortised O(1) per run. Not thread-safe.
 */
public final class PendingQueue {
  private long[] times = new long[64];
  private int[] counts = new int[64];
  private int head;
  private int tail;
  private int size;

  /** Samples that wait. */
  public int size() {
    return size;
  }

  /** Returns whether nothing waits. */
  public boolean isEmpty() {
    return size == 0;
  }

  /** Runs of equal arrival times, oldest first. */
  public int runs() {
    return tail - head;
  }

  /** Arrival time of a run. */
  public long timeNanos(int run) {
    return times[head + run];
  }

  /** Samples of a run. */
  public int count(int run) {
    return counts[head + run];
  }

  /** Arrival time of the oldest sample of a queue that is not empty. */
  public long oldestNanos() {
    return times[head];
  }

  /** Seconds from the oldest arrival to a time; differences keep full precision. */
  public double seconds(long nanos) {
    return Nanos.toSeconds(nanos - times[head]);
  }

  /** Returns a time given in seconds after the oldest arrival, rounded up to a nanosecond. */
  public long nanos(double seconds) {
    double nanos = Math.ceil(seconds * Nanos.PER_SECOND);
    return nanos >= Long.MAX_VALUE - Math.max(0, times[head])
        ? Long.MAX_VALUE
        : times[head] + (long) nanos;
  }

  /** Adds samples that arrived at one time, not before any that wait. */
  public void add(long timeNanos, int count) {
    size = Math.addExact(size, count);
    if (tail > head && times[tail - 1] == timeNanos) {
      counts[tail - 1] += count;
      return;
    }
    if (tail == times.length) {
      grow();
    }
    times[tail] = timeNanos;
    counts[tail++] = count;
  }

  private void grow() {
    int runs = tail - head;
    if (head < times.length / 2) {
      times = Arrays.copyOfRange(times, head, head + times.length * 2);
      counts = Arrays.copyOfRange(counts, head, head + counts.length * 2);
    } else {
      System.arraycopy(times, head, times, 0, runs);
      System.arraycopy(counts, head, counts, 0, runs);
    }
    head = 0;
    tail = runs;
  }

  /** Takes the oldest samples away. */
  public void removeOldest(int samples) {
    checkHas(samples);
    size -= samples;
    int left = samples;
    while (left > 0) {
      int taken = Math.min(left, counts[head]);
      counts[head] -= taken;
      left -= taken;
      if (counts[head] == 0) {
        head++;
      }
    }
  }

  /** Sum of all waits until now, in seconds. O(runs). */
  public double waits(long nowNanos) {
    double sum = 0;
    for (int run = 0; run < runs(); run++) {
      sum += count(run) * Nanos.toSeconds(nowNanos - timeNanos(run));
    }
    return sum;
  }

  /** Puts samples back that were taken before any of those that wait. */
  public void addOldest(PendingQueue taken) {
    PendingQueue merged = new PendingQueue();
    for (int run = 0; run < taken.runs(); run++) {
      merged.add(taken.timeNanos(run), taken.count(run));
    }
    for (int run = 0; run < runs(); run++) {
      merged.add(Math.max(timeNanos(run), merged.newestNanos(timeNanos(run))), count(run));
    }
    times = merged.times;
    counts = merged.counts;
    head = merged.head;
    tail = merged.tail;
    size = merged.size;
  }

  /** Arrival time of the newest sample, or the argument if nothing waits. */
  public long newestNanos(long otherwise) {
    return tail == head ? otherwise : times[tail - 1];
  }

  private void checkHas(int samples) {
    if (samples < 0 || samples > size) {
      throw new IllegalArgumentException(
          "cannot take %d of %d pending samples".formatted(samples, size));
    }
  }

  /** Returns the oldest samples as a queue of their own. */
  public PendingQueue oldest(int samples) {
    checkHas(samples);
    PendingQueue part = new PendingQueue();
    int left = samples;
    for (int run = 0; left > 0; run++) {
      int taken = Math.min(left, count(run));
      part.add(timeNanos(run), taken);
      left -= taken;
    }
    return part;
  }

  public void clear() {
    head = 0;
    tail = 0;
    size = 0;
  }
}
