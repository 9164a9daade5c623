package io.idlalayer.benchmarks.tensors;

import java.util.Arrays;
import java.util.SplittableRandom;

/** Medians, and how well they are known. */
public final class Medians {
  private static final int RESAMPLES = 2000;
  private static final double TAIL = 0.025;

  private Medians() {}

  /** The median of at least one value. */
  public static double of(double[] values) {
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
      medians[i] = of(drawn);
    }
    Arrays.sort(medians);
    return new double[] {
      medians[(int) (TAIL * RESAMPLES)], medians[(int) Math.ceil((1 - TAIL) * RESAMPLES) - 1]
    };
  }
}
