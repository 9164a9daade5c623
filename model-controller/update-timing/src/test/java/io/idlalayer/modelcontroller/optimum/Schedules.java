package io.idlalayer.modelcontroller.optimum;

/** Literal costs of literal schedules, to compare with. */
final class Schedules {
  private Schedules() {}

  /** Cheapest contiguous batches by trying all 2^(n-1), controllable part. */
  static double brute(double[] a, ScheduleCosts costs, boolean oneMachine) {
    int n = a.length;
    double best = Double.POSITIVE_INFINITY;
    for (int cuts = 0; cuts < 1 << (n - 1); cuts++) {
      double cost = 0;
      double free = Double.NEGATIVE_INFINITY;
      int first = 0;
      for (int k = 0; k < n; k++) {
        if (k == n - 1 || (cuts >> k & 1) == 1) {
          double start = oneMachine ? Math.max(free, a[k]) : a[k];
          free = start + costs.seconds(k + 1 - first);
          cost += batch(a, first, k, free, costs);
          first = k + 1;
        }
      }
      best = Math.min(best, cost);
    }
    return best - n * costs.unavoidable();
  }

  private static double batch(double[] a, int first, int last, double end, ScheduleCosts costs) {
    double cost = costs.weight() * costs.seconds(last + 1 - first);
    for (int k = first; k <= last; k++) {
      cost += end - a[k];
    }
    return cost;
  }

  /** The literal O(n^2) program over prefixes; trainings may overlap; controllable part. */
  static double[] prefixes(double[] a, ScheduleCosts costs) {
    int n = a.length;
    double[] best = new double[n + 1];
    for (int end = 1; end <= n; end++) {
      best[end] = Double.POSITIVE_INFINITY;
      for (int first = end - 1; first >= 0; first--) {
        double finish = a[end - 1] + costs.seconds(end - first);
        double price = batch(a, first, end - 1, finish, costs);
        best[end] = Math.min(best[end], best[first] + price);
      }
    }
    for (int k = 1; k <= n; k++) {
      best[k] -= k * costs.unavoidable();
    }
    return best;
  }

  /** Cheapest one-machine schedule over all ordered set partitions: any sample in any update. */
  static double anyOrder(double[] a, ScheduleCosts costs) {
    return search(a, (1 << a.length) - 1, Double.NEGATIVE_INFINITY, costs)
        - a.length * costs.unavoidable();
  }

  private static double search(double[] a, int left, double free, ScheduleCosts costs) {
    if (left == 0) {
      return 0;
    }
    double best = Double.POSITIVE_INFINITY;
    for (int batch = left; batch > 0; batch = (batch - 1) & left) {
      double start = free;
      for (int k = 0; k < a.length; k++) {
        if ((batch >> k & 1) == 1) {
          start = Math.max(start, a[k]);
        }
      }
      double end = start + costs.seconds(Integer.bitCount(batch));
      double cost = costs.weight() * (end - start);
      for (int k = 0; k < a.length; k++) {
        if ((batch >> k & 1) == 1) {
          cost += end - a[k];
        }
      }
      best = Math.min(best, cost + search(a, left & ~batch, end, costs));
    }
    return best;
  }
}
