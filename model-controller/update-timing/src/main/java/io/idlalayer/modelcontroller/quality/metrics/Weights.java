package io.idlalayer.modelcontroller.quality.metrics;

import org.jspecify.annotations.Nullable;

/** Rules about weights, and about quotients of weights. */
final class Weights {
  private Weights() {}

  /** Throws an exception if a weight is not a finite number of at least 0. */
  static void check(double weight) {
    if (!(weight >= 0 && weight < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException(
          "weight is %s; it must be at least 0 and finite".formatted(weight));
    }
  }

  /**
   * Returns the sum. A plain loop computes it, because {@code DoubleStream} is ten times slower.
   */
  static double sum(double[] values) {
    double sum = 0;
    for (double each : values) {
      sum += each;
    }
    return sum;
  }

  /** Returns a quotient; null if the divisor is 0. */
  static @Nullable Double quotient(double dividend, double divisor) {
    return divisor == 0 ? null : finite(dividend / divisor);
  }

  /**
   * Returns the achieved share of the possible improvement over a reference; 1 if the accuracy is
   * 1; null if the share would be 0/0.
   */
  static @Nullable Double gainedOver(double reference, double accuracy) {
    return quotient(accuracy - reference, 1 - reference);
  }

  private static @Nullable Double finite(double value) {
    return Double.isFinite(value) ? (Double) value : null;
  }
}
