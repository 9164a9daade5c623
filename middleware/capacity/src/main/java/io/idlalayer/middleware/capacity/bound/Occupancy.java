package io.idlalayer.middleware.capacity.bound;

import java.util.Arrays;

/**
 * Prices of a fast byte at the moments of a step, and how many bytes want to be fast at these
 * prices. A moment is the run of a kernel, or the gap after it.
 */
final class Occupancy {
  private final boolean gaps;
  private final double[] before;
  private final double[] change;

  /**
   * @param moments number of moments, one for each kernel
   * @param gaps whether moments are the gaps after kernels
   */
  Occupancy(int moments, boolean gaps) {
    this.gaps = gaps;
    before = new double[moments + 1];
    change = new double[moments + 1];
  }

  /** Takes new prices and forgets all bytes. */
  void reset(double[] prices) {
    for (int i = 0; i < prices.length; i++) {
      before[i + 1] = before[i] + prices[i];
    }
    Arrays.fill(change, 0);
  }

  /** Price of being fast while a kernel runs. */
  double use(int kernel) {
    return gaps ? 0 : before[kernel + 1] - before[kernel];
  }

  /**
   * Price of staying fast from one kernel to another; the other one is in the next step if it is
   * not later.
   */
  double hold(int from, int to) {
    int start = gaps ? from : from + 1;
    return to > from
        ? before[to] - before[start]
        : before[before.length - 1] - before[start] + before[to];
  }

  /** Adds bytes that must be on the fast device while a kernel runs. */
  void addUse(int kernel, double bytes) {
    if (!gaps) {
      change[kernel] += bytes;
      change[kernel + 1] -= bytes;
    }
  }

  /** Bytes stay fast from one kernel to another. */
  void addHold(int from, int to, double bytes) {
    int start = gaps ? from : from + 1;
    change[start] += bytes;
    if (to > from) {
      change[to] -= bytes;
    } else {
      change[change.length - 1] -= bytes;
      change[0] += bytes;
      change[to] -= bytes;
    }
  }

  /** Writes how many bytes each moment has above a budget. */
  void excess(double budget, double[] into) {
    double now = 0;
    for (int i = 0; i < into.length; i++) {
      now += change[i];
      into[i] = now - budget;
    }
  }
}
