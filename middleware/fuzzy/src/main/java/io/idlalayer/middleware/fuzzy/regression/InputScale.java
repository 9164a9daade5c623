package io.idlalayer.middleware.fuzzy.regression;

import java.util.Arrays;

/**
 * Range, mean and standard deviation of each input in the rows that a model was fitted to. A
 * constant input has no range: it counts as 0.
 *
 * @param low least value, by column
 * @param high greatest value
 * @param mean arithmetic mean
 * @param deviation standard deviation, 1 for a constant column
 */
record InputScale(double[] low, double[] high, double[] mean, double[] deviation) {
  static InputScale of(double[][] rows) {
    int width = rows[0].length;
    double[] low = rows[0].clone();
    double[] high = rows[0].clone();
    double[] mean = new double[width];
    double[] deviation = new double[width];
    for (double[] row : rows) {
      for (int j = 0; j < width; j++) {
        low[j] = Math.min(low[j], row[j]);
        high[j] = Math.max(high[j], row[j]);
        mean[j] += row[j] / rows.length;
      }
    }
    for (double[] row : rows) {
      for (int j = 0; j < width; j++) {
        deviation[j] += (row[j] - mean[j]) * (row[j] - mean[j]) / rows.length;
      }
    }
    for (int j = 0; j < width; j++) {
      double root = Math.sqrt(deviation[j]);
      deviation[j] = high[j] > low[j] && root > 0 && Double.isFinite(root) ? root : 1;
    }
    return new InputScale(low, high, mean, deviation);
  }

  int width() {
    return low.length;
  }

  double clamped(int column, double value) {
    return Math.max(low[column], Math.min(high[column], value));
  }

  /** Returns a clamped value of an input scaled to [0, 1] over the input's range. */
  double ranged(int column, double clamped) {
    double range = high[column] - low[column];
    return range > 0 ? (clamped - low[column]) / range : 0;
  }

  double standardized(int column, double clamped) {
    return (clamped - mean[column]) / deviation[column];
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof InputScale o
        && Arrays.equals(low, o.low)
        && Arrays.equals(high, o.high)
        && Arrays.equals(mean, o.mean)
        && Arrays.equals(deviation, o.deviation);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(mean);
  }

  @Override
  public String toString() {
    return "InputScale[low=%s, high=%s]".formatted(Arrays.toString(low), Arrays.toString(high));
  }
}
