package io.idlalayer.modelcontroller.optimum;

/**
 * Computes the lowest cost of every suffix of a trace, and the batches of a schedule with this
 * cost, if trainings are allowed to overlap. {@link OneMachineOptimum} uses the cost as a lower
 * bound for the samples that are still to come. The method is that of {@link OverlapOptimum}, but
 * it begins at the end of the trace. O(n).
 */
final class SuffixOptimum {
  /**
   * Lowest cost of waiting and updates for the samples from index i on; 0 after the last sample.
   */
  final double[] cost;

  /** For each sample i, the end (exclusive) of the batch that starts with it. */
  final int[] end;

  /**
   * @param x virtual arrival times x_k = a_k + 2*lambda*k, ascending, of the samples 0..n-1
   */
  SuffixOptimum(double[] x, double updateCost) {
    int n = x.length;
    cost = new double[n + 1];
    end = new int[n];
    double[] sum = new double[n + 1];
    for (int k = 0; k < n; k++) {
      sum[k + 1] = sum[k] + x[k];
    }
    // Line of an end j: (cost[j] + j*x - sum[j]) - i*x with x = x[j-1], evaluated at falling i.
    int[] hull = new int[n + 1];
    double[] intercept = new double[n + 1];
    int head = 0;
    int tail = 0;
    for (int i = n - 1; i >= 0; i--) {
      int j = i + 1;
      intercept[j] = cost[j] + j * x[j - 1] - sum[j];
      while (tail - head > 0 && x[hull[tail - 1] - 1] <= x[j - 1]) {
        // The slopes are equal: the lower line stays.
        if (intercept[hull[tail - 1]] <= intercept[j]) {
          break;
        }
        tail--;
      }
      if (tail == head || x[hull[tail - 1] - 1] > x[j - 1]) {
        while (tail - head > 1 && useless(hull[tail - 2], hull[tail - 1], j, x, intercept)) {
          tail--;
        }
        hull[tail++] = j;
      }
      while (tail - head > 1
          && at(hull[head + 1], i, x, intercept) <= at(hull[head], i, x, intercept)) {
        head++;
      }
      end[i] = hull[head];
      cost[i] = updateCost + sum[i] + at(hull[head], i, x, intercept);
    }
  }

  private static double at(int j, int i, double[] x, double[] intercept) {
    return intercept[j] - i * x[j - 1];
  }

  /**
   * Returns whether the middle one of three lines is nowhere the lowest. The slopes -x rise from
   * the first line to the last, so the last line is the lowest at small i.
   */
  private static boolean useless(int first, int middle, int last, double[] x, double[] b) {
    double s1 = -x[first - 1];
    double s2 = -x[middle - 1];
    double s3 = -x[last - 1];
    // The middle line is the lowest for each i between its intersections with the last and the
    // first line.
    return (b[last] - b[first]) * (s2 - s1) <= (b[middle] - b[first]) * (s3 - s1);
  }
}
