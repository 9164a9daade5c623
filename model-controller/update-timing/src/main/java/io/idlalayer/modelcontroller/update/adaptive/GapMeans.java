package io.idlalayer.modelcontroller.update.adaptive;

import io.idlalayer.middleware.state.StateReader;
import io.idlalayer.middleware.state.StateWriter;
import io.idlalayer.modelcontroller.update.rule.RuleCosts;

/** Tracks two running means of the gap between two arrivals, a fast one and a slow one. */
final class GapMeans {
  /** Index of the fast mean, over about 7 arrivals. */
  static final int FAST = 0;

  /** Index of the slow mean, over about 100 arrivals. */
  static final int SLOW = 1;

  private static final int COUNT = 2;

  /** Weights of the latest gap in the fast and in the slow mean. */
  private static final double[] GAINS = {0.15, 0.01};

  private final double[] seconds = new double[COUNT];
  private boolean known;

  void learn(double gapSeconds) {
    for (int i = 0; i < COUNT; i++) {
      seconds[i] = known ? seconds[i] + GAINS[i] * (gapSeconds - seconds[i]) : gapSeconds;
    }
    known = true;
  }

  /** Adds gaps of 0 for arrivals at the time of the latest one. */
  void learnZeros(int count) {
    for (int i = 0; i < COUNT; i++) {
      seconds[i] *= Math.pow(1 - GAINS[i], count);
    }
  }

  /** Returns whether at least one gap between two arrivals is known. */
  boolean known() {
    return known;
  }

  /**
   * Returns the number of samples per update with the lowest cost at a steady rate, the economic
   * order quantity sqrt(2C / (mean gap + 2 * lambda)); infinite if no gap is known yet.
   */
  double cheapestBatch(int mean, RuleCosts costs) {
    double each = seconds[mean] + 2 * costs.secondsPerSample();
    return known ? Math.sqrt(2 * costs.updateCost() / each) : Double.POSITIVE_INFINITY;
  }

  /** Writes the two means as fields of a state, the first mean as field number {@code tag}. */
  void snapshot(StateWriter out, int tag) {
    out.putBoolean(tag, known).putDoubles(tag + 1, seconds);
  }

  void restore(StateReader in, int tag) {
    double[] means = in.getDoubles(tag + 1, COUNT);
    known = in.getBoolean(tag);
    System.arraycopy(means, 0, seconds, 0, COUNT);
  }
}
