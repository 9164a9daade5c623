package io.idlalayer.modelcontroller.optimum;

/**
 * A cheapest schedule itself, where trainings may overlap.
 *
 * @param ends index behind the last sample of each update, ascending
 * @param latencySeconds sum of all latencies
 * @param machineSeconds sum of all trainings
 */
public record OverlapSchedule(int[] ends, double latencySeconds, double machineSeconds) {
  /**
   * Solves a trace. O(n).
   *
   * @param arrivals seconds, ascending
   */
  public static OverlapSchedule of(double[] arrivals, ScheduleCosts costs) {
    int n = arrivals.length;
    double[] x = new double[n];
    for (int k = 0; k < n; k++) {
      x[k] = arrivals[k] - arrivals[0] + 2 * costs.secondsPerSample() * k;
    }
    SuffixOptimum suffix = new SuffixOptimum(x, costs.updateCost());
    int[] ends = new int[n];
    int updates = 0;
    double latency = 0;
    double machine = 0;
    for (int first = 0; first < n; first = suffix.end[first]) {
      int end = suffix.end[first];
      double seconds = costs.seconds(end - first);
      for (int k = first; k < end; k++) {
        latency += arrivals[end - 1] + seconds - arrivals[k];
      }
      machine += seconds;
      ends[updates++] = end;
    }
    return new OverlapSchedule(java.util.Arrays.copyOf(ends, updates), latency, machine);
  }
}
