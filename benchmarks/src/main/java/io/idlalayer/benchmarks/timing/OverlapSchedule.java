package io.idlalayer.benchmarks.timing;

import io.idlalayer.modelcontroller.optimum.ScheduleCosts;
import java.util.Arrays;

/**
 * A cheapest schedule itself, where trainings may overlap.
 *
 * @param ends index behind the last sample of each update, ascending
 * @param latencySeconds sum of all latencies
 * @param machineSeconds sum of all trainings
 */
record OverlapSchedule(int[] ends, double latencySeconds, double machineSeconds) {
  /**
   * Solves a trace by the program over all suffixes and all first updates. O(n^2).
   *
   * @param arrivals seconds, ascending
   */
  static OverlapSchedule of(double[] arrivals, ScheduleCosts costs) {
    int n = arrivals.length;
    double[] cost = new double[n + 1];
    int[] firstEnd = new int[n];
    for (int first = n - 1; first >= 0; first--) {
      cost[first] = Double.POSITIVE_INFINITY;
      double sum = 0;
      for (int end = first + 1; end <= n; end++) {
        sum += arrivals[end - 1] - arrivals[first];
        double s = end - first;
        double waiting =
            s * (arrivals[end - 1] - arrivals[first])
                - sum
                + costs.secondsPerSample() * s * (s - 1);
        double whole = costs.updateCost() + waiting + cost[end];
        if (whole < cost[first]) {
          cost[first] = whole;
          firstEnd[first] = end;
        }
      }
    }
    int[] ends = new int[n];
    int updates = 0;
    double latency = 0;
    double machine = 0;
    for (int first = 0; first < n; first = firstEnd[first]) {
      int end = firstEnd[first];
      double seconds = costs.seconds(end - first);
      for (int k = first; k < end; k++) {
        latency += arrivals[end - 1] + seconds - arrivals[k];
      }
      machine += seconds;
      ends[updates++] = end;
    }
    return new OverlapSchedule(Arrays.copyOf(ends, updates), latency, machine);
  }
}
