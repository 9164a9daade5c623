package io.idlalayer.middleware.placement.plan.autotm;

import java.util.Arrays;

/** Costs of a gap between two uses of a tensor: of staying fast, and of leaving and entering. */
final class GapCosts {
  private double stay;
  private double[] leave = new double[16];
  private double[] enter = new double[16];
  private int leaves;
  private int enters;

  /** The cheapest window of a copy, and its cost. */
  record Window(int kernels, double cost) {}

  /** The cheapest two windows of a tensor that leaves and comes back. */
  record Pair(int leave, int enter, double cost) {}

  void reset() {
    stay = Double.POSITIVE_INFINITY;
    leaves = 0;
    enters = 0;
  }

  void stay(double cost) {
    stay = cost;
  }

  double stay() {
    return stay;
  }

  /** Adds the cost of leaving one kernel later than the last added one; first after no kernel. */
  void addLeave(double cost) {
    leave = room(leave, leaves);
    leave[leaves++] = cost;
  }

  /** Adds the cost of entering one kernel earlier than the last added one. */
  void addEnter(double cost) {
    enter = room(enter, enters);
    enter[enters++] = cost;
  }

  private static double[] room(double[] costs, int used) {
    return used < costs.length ? costs : Arrays.copyOf(costs, 2 * used);
  }

  Window cheapestLeave() {
    return cheapest(leave, leaves);
  }

  Window cheapestEnter() {
    return cheapest(enter, enters);
  }

  private static Window cheapest(double[] costs, int count) {
    int best = 0;
    for (int i = 1; i < count; i++) {
      best = costs[i] < costs[best] ? i : best;
    }
    return new Window(best, costs[best]);
  }

  /**
   * Returns the cheapest windows that do not overlap.
   *
   * @param length number of kernels in the gap
   */
  Pair cheapestPair(int length) {
    Window out = cheapestLeave();
    Window in = cheapestEnter();
    if (out.kernels() + in.kernels() <= length) {
      return new Pair(out.kernels(), in.kernels(), out.cost() + in.cost());
    }
    Pair best = new Pair(0, 0, leave[0] + enter[0]);
    for (int e = 0; e < leaves; e++) {
      for (int s = 0; s < enters && e + s <= length; s++) {
        if (leave[e] + enter[s] < best.cost()) {
          best = new Pair(e, s, leave[e] + enter[s]);
        }
      }
    }
    return best;
  }
}
