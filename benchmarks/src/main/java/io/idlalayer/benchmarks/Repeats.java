package io.idlalayer.benchmarks;

import java.util.Arrays;
import java.util.Locale;

/** Repeated measurements: median with the smallest and the largest. */
record Repeats(double median, double least, double most) {
  static Repeats of(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return new Repeats(sorted[sorted.length / 2], sorted[0], sorted[sorted.length - 1]);
  }

  String text(String format) {
    return String.format(
        Locale.ROOT, format + " (" + format + ".." + format + ")", median, least, most);
  }
}
