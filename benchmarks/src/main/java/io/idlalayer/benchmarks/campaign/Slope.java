package io.idlalayer.benchmarks.campaign;

import java.util.Arrays;

/**
 * Theil-Sen slope of a series (Theil 1950) with Sen's 95 % interval (Sen 1968): the median of the
 * slopes between all pairs of points, which single outliers do not move.
 *
 * @param perHour change in an hour, in the unit of the series
 * @param level median of the series
 * @param hours that the points cover
 */
record Slope(double perHour, double lowPerHour, double highPerHour, double level, double hours) {
  private static final double Z95 = 1.96;

  /** Growth over the time seen below this share of the level is none for an operator. */
  private static final double NEGLIGIBLE = 0.01;

  /**
   * Fits points.
   *
   * @param hours strictly ascending, at least 3
   */
  static Slope of(double[] hours, double[] values) {
    int n = hours.length;
    if (n < 3 || values.length != n) {
      throw new IllegalArgumentException("a slope needs 3 points or more, there are " + n);
    }
    double[] slopes = new double[n * (n - 1) / 2];
    int count = 0;
    for (int i = 0; i < n; i++) {
      for (int j = i + 1; j < n; j++) {
        slopes[count++] = (values[j] - values[i]) / (hours[j] - hours[i]);
      }
    }
    Arrays.sort(slopes);
    double width = Z95 * Math.sqrt(n * (n - 1.0) * (2.0 * n + 5) / 18);
    int low = (int) Math.max(0, Math.floor((count - width) / 2));
    int high = (int) Math.min(count - 1, Math.ceil((count + width) / 2));
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return new Slope(
        slopes[count / 2], slopes[low], slopes[high], sorted[n / 2], hours[n - 1] - hours[0]);
  }

  /** Whether the series grows: surely, and by more than a hundredth of its level. */
  boolean aboveNoise() {
    return lowPerHour > 0 && perHour * hours > NEGLIGIBLE * Math.max(1, Math.abs(level));
  }
}
