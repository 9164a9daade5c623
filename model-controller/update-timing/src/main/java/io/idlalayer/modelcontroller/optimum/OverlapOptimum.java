package io.idlalayer.modelcontroller.optimum;

import io.idlalayer.middleware.primitive.Nanos;
import java.util.Arrays;

/**
 * Computes online the cheapest schedule of every prefix of a stream, if trainings are allowed to
 * overlap. In virtual time x_k = a_k + 2*lambda*k,
 *
 * <pre>V[j] = min_{i&lt;j} V[i] + C + (j-i)*x_j - (X_j - X_i),   X = prefix sums of x</pre>
 *
 * is a minimum over lines whose slopes fall, evaluated at rising x. A monotone deque holds the
 * lower hull of these lines and takes amortised O(1) per sample. Numbers are kept relative to a
 * moving origin, so a stream can be endless. No schedule without overlap is cheaper. Not
 * thread-safe.
 */
public final class OverlapOptimum {
  private static final int REBASE_AT_LEAST = 64;

  private final double lambda;
  private final double updateCost;

  // The lower hull, oldest line first. Line i is V[i] + X_i - i*x, with i counted from the origin.
  private double[] index = new double[16];
  private double[] value = new double[16];
  private double[] sum = new double[16];
  private int head;
  private int tail = 1;

  private long originNanos;
  private double originValue;
  private double samples;
  private double sumX;
  private double latest;
  private long total;
  private long sinceRebase;

  /**
   * @param secondsPerSample lambda, at least 0
   * @param updateCost C in sample-seconds, at least 0
   */
  public OverlapOptimum(double secondsPerSample, double updateCost) {
    this.lambda = secondsPerSample;
    this.updateCost = updateCost;
  }

  /** Adds {@code count} arrivals at one time; times do not go back. */
  public void arrived(long nanos, int count) {
    if (total == 0) {
      originNanos = nanos;
    }
    total += count;
    sinceRebase += count;
    double seconds = Nanos.toSeconds(nanos - originNanos);
    if (lambda == 0) {
      // These arrivals have the same time: only the last can end a batch of a cheapest schedule.
      add(seconds, count);
    } else {
      for (int i = 0; i < count; i++) {
        add(seconds + 2 * lambda * (samples + 1), 1);
      }
    }
    if (sinceRebase >= REBASE_AT_LEAST && sinceRebase >= tail - head) {
      rebase(nanos);
    }
  }

  private void add(double x, int count) {
    samples += count;
    sumX += count * x;
    while (tail - head > 1 && line(head + 1, x) <= line(head, x)) {
      head++;
    }
    latest = updateCost + samples * x - sumX + line(head, x);
    append();
  }

  private double line(int at, double x) {
    return value[at] + sum[at] - index[at] * x;
  }

  /**
   * Adds the line of the latest prefix of the stream, and removes lines that can no longer be the
   * lowest.
   */
  private void append() {
    double b = latest + sumX;
    while (tail - head > 1 && useless(tail - 2, tail - 1, b)) {
      tail--;
    }
    if (tail == index.length) {
      grow();
    }
    index[tail] = samples;
    value[tail] = latest;
    sum[tail] = sumX;
    tail++;
  }

  /** Returns whether the middle one of three lines is nowhere the lowest. */
  private boolean useless(int first, int middle, double intercept) {
    double b1 = value[first] + sum[first];
    double b2 = value[middle] + sum[middle];
    return (intercept - b1) * (index[middle] - index[first])
        <= (b2 - b1) * (samples - index[first]);
  }

  private void grow() {
    int lines = tail - head;
    int size = head > index.length / 2 ? index.length : index.length * 2;
    index = moved(index, size);
    value = moved(value, size);
    sum = moved(sum, size);
    head = 0;
    tail = lines;
  }

  private double[] moved(double[] from, int size) {
    double[] to = new double[size];
    System.arraycopy(from, head, to, 0, tail - head);
    return to;
  }

  /**
   * Moves the origin of the counts to the oldest line and the origin of time to the latest arrival,
   * so that the numbers stay small.
   */
  private void rebase(long nanos) {
    double shiftIndex = index[head];
    double shiftX = Nanos.toSeconds(nanos - originNanos) + 2 * lambda * shiftIndex;
    double shiftValue = value[head];
    double shiftSum = sum[head];
    for (int at = head; at < tail; at++) {
      index[at] -= shiftIndex;
      value[at] -= shiftValue;
      sum[at] -= shiftSum + index[at] * shiftX;
    }
    samples -= shiftIndex;
    sumX -= shiftSum + samples * shiftX;
    latest -= shiftValue;
    originValue += shiftValue;
    originNanos = nanos;
    sinceRebase = 0;
  }

  /**
   * Returns V, the cost of the cheapest schedule of all arrivals so far, in sample-seconds, without
   * the part that no schedule can change ({@link ScheduleCosts#unavoidable} per sample).
   */
  public double cost() {
    return originValue + latest;
  }

  /** Returns the number of samples that have arrived. */
  public long samples() {
    return total;
  }

  /** Returns the number of lines in memory, for tests. */
  int lines() {
    return tail - head;
  }

  /**
   * Returns the cost of the cheapest schedule of a whole trace, without the unavoidable part, as
   * {@link #cost()} does.
   *
   * @param ascendingNanos arrival times, ascending
   */
  public static double of(long[] ascendingNanos, ScheduleCosts costs) {
    OverlapOptimum optimum = new OverlapOptimum(costs.secondsPerSample(), costs.updateCost());
    Arrays.stream(ascendingNanos).forEach(nanos -> optimum.arrived(nanos, 1));
    return optimum.cost();
  }
}
