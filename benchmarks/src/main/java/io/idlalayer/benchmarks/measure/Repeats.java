package io.idlalayer.benchmarks.measure;

import java.util.Arrays;
import java.util.Collection;
import java.util.Locale;
import java.util.SplittableRandom;

/** Repeated measurements: median with the smallest and the largest. */
public record Repeats(double median, double least, double most) {
  private static final int RESAMPLES = 2000;
  private static final double TAIL = 0.025;

  /** Summarizes at least one value. */
  public static Repeats of(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return new Repeats(median(values), sorted[0], sorted[sorted.length - 1]);
  }

  /** Summarizes at least one value. */
  public static Repeats of(Collection<Double> values) {
    return of(values.stream().mapToDouble(Double::doubleValue).toArray());
  }

  /** The median of at least one value. */
  public static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  /** Bounds of the median with 95 % confidence, by resampling; always the same for equal values. */
  public static double[] interval(double[] values) {
    SplittableRandom random = new SplittableRandom(values.length);
    double[] medians = new double[RESAMPLES];
    double[] drawn = new double[values.length];
    for (int i = 0; i < RESAMPLES; i++) {
      for (int j = 0; j < drawn.length; j++) {
        drawn[j] = values[random.nextInt(values.length)];
      }
      medians[i] = median(drawn);
    }
    Arrays.sort(medians);
    return new double[] {
      medians[(int) (TAIL * RESAMPLES)], medians[(int) Math.ceil((1 - TAIL) * RESAMPLES) - 1]
    };
  }

  /** Median, smallest and largest, each in a format. */
  public String text(String format) {
    return String.format(
        Locale.ROOT, format + " (" + format + ".." + format + ")", median, least, most);
  }
}
