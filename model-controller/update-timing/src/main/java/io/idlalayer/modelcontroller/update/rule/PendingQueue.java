package io.idlalayer.modelcontroller.update.rule;

import io.idlalayer.middleware.primitive.Nanos;
import java.util.Arrays;

/**
 * The arrival times of the waiting samples, oldest first, as runs of equal times. In a steady state
 * the queue allocates no memory. Removing takes amortised O(1) per run. Not thread-safe.
 */
public final class PendingQueue {
  private long[] times = new long[64];
  private int[] counts = new int[64];
  private int head;
  private int tail;
  private int size;

  /** Returns the number of waiting samples. */
  public int size() {
    return size;
  }

  /** Returns whether no sample waits. */
  public boolean isEmpty() {
    return size == 0;
  }

  /** Returns the number of runs, each of samples with one arrival time. */
  public int runs() {
    return tail - head;
  }

  /** Returns the arrival time of a run; run 0 is the oldest. */
  public long timeNanos(int run) {
    return times[head + run];
  }

  /** Returns the number of samples of a run; run 0 is the oldest. */
  public int count(int run) {
    return counts[head + run];
  }

  /** Returns the arrival time of the oldest sample; the queue must not be empty. */
  public long oldestNanos() {
    return times[head];
  }

  /**
   * Returns the seconds from the oldest arrival to a time; seconds counted from the oldest arrival
   * are small, so their differences are precise.
   */
  public double seconds(long nanos) {
    return Nanos.toSeconds(nanos - times[head]);
  }

  /** Converts seconds after the oldest arrival to nanoseconds of the clock, rounded up. */
  public long nanos(double seconds) {
    double nanos = Math.ceil(seconds * Nanos.PER_SECOND);
    return nanos >= Long.MAX_VALUE - Math.max(0, times[head])
        ? Long.MAX_VALUE
        : times[head] + (long) nanos;
  }

  /** Adds samples that arrived at one time, which is not before the newest arrival. */
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

  /** Removes the oldest samples. */
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

  /** Returns the sum of the waiting times of all samples until now, in seconds. O(runs). */
  public double waits(long nowNanos) {
    double sum = 0;
    for (int run = 0; run < runs(); run++) {
      sum += count(run) * Nanos.toSeconds(nowNanos - timeNanos(run));
    }
    return sum;
  }

  /** Puts removed samples back in front of all waiting samples. */
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

  /** Returns the arrival time of the newest sample, or the argument if the queue is empty. */
  public long newestNanos(long otherwise) {
    return tail == head ? otherwise : times[tail - 1];
  }

  private void checkHas(int samples) {
    if (samples < 0 || samples > size) {
      throw new IllegalArgumentException(
          "cannot take %d of %d pending samples".formatted(samples, size));
    }
  }

  /** Returns a new queue with the oldest samples of this one, which does not change. */
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
