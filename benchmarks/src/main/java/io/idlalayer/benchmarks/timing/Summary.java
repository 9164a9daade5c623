package io.idlalayer.benchmarks.timing;

import java.util.Arrays;
import java.util.Locale;

/** Mean, 95th percentile and maximum. */
record Summary(double mean, double p95, double max) {
  static Summary of(double[] values) {
    if (values.length == 0) {
      return new Summary(Double.NaN, Double.NaN, Double.NaN);
    }
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return new Summary(
        Arrays.stream(sorted).average().orElse(Double.NaN),
        sorted[(int) Math.min(sorted.length - 1, Math.ceil(0.95 * sorted.length) - 1)],
        sorted[sorted.length - 1]);
  }

  String text() {
    return String.format(Locale.ROOT, "%.3f / %.2f / %.2f", mean, p95, max);
  }
}
