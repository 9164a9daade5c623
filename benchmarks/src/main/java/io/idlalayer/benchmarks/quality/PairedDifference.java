package io.idlalayer.benchmarks.quality;

import java.util.Arrays;
import java.util.Locale;
import org.apache.commons.math3.distribution.TDistribution;
import org.apache.commons.math3.stat.StatUtils;
import org.apache.commons.math3.stat.inference.TestUtils;

/**
 * The mean of paired differences, with a 95 % interval by Student's t and the two-sided p of the
 * paired t-test. Interval and p are NaN if there are fewer than two pairs.
 */
record PairedDifference(int pairs, double mean, double halfWidth, double p) {
  private static final double UPPER = 0.975;

  static PairedDifference of(double[] differences) {
    int n = differences.length;
    double mean = StatUtils.mean(differences);
    if (n < 2) {
      return new PairedDifference(n, mean, Double.NaN, Double.NaN);
    }
    double error = Math.sqrt(StatUtils.variance(differences) / n);
    double half = new TDistribution(n - 1).inverseCumulativeProbability(UPPER) * error;
    boolean constant = Arrays.stream(differences).allMatch(each -> each == differences[0]);
    double p = constant ? (mean == 0 ? 1 : 0) : TestUtils.tTest(0, differences);
    return new PairedDifference(n, mean, half, p);
  }

  /**
   * Returns 1 if the interval lies above 0, -1 if it lies below 0, and 0 if it contains 0 or is
   * unknown.
   */
  int sign() {
    if (!(Math.abs(mean) > halfWidth)) {
      return 0;
    }
    return mean > 0 ? 1 : -1;
  }

  /** Returns the difference in percentage points, as a text. */
  String text() {
    if (pairs == 0) {
      return "-";
    }
    if (pairs < 2) {
      return String.format(Locale.ROOT, "%+.2f", 100 * mean);
    }
    return String.format(Locale.ROOT, "%+.2f ± %.2f (p %.3f)", 100 * mean, 100 * halfWidth, p);
  }
}
