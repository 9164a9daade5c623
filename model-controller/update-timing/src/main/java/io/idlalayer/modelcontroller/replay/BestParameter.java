package io.idlalayer.modelcontroller.replay;

import java.util.function.DoubleUnaryOperator;

/**
 * Finds, in hindsight, the parameter with which a rule has the lowest cost: first on a geometric
 * grid, then by a golden-section search.
 */
final class BestParameter {
  private static final int GRID = 41;
  private static final int REFINEMENTS = 12;
  private static final double GOLDEN = (Math.sqrt(5) - 1) / 2;

  private BestParameter() {}

  /** Returns the parameter with the lowest cost between two positive bounds. */
  static double of(double low, double high, DoubleUnaryOperator cost) {
    double step = Math.pow(high / low, 1.0 / (GRID - 1));
    double best = low;
    double least = Double.POSITIVE_INFINITY;
    double at = low;
    for (int i = 0; i < GRID; i++, at *= step) {
      double price = cost.applyAsDouble(at);
      if (price < least) {
        least = price;
        best = at;
      }
    }
    double left = Math.max(low, best / step);
    double right = Math.min(high, best * step);
    for (int i = 0; i < REFINEMENTS; i++) {
      double a = right - GOLDEN * (right - left);
      double b = left + GOLDEN * (right - left);
      double priceA = cost.applyAsDouble(a);
      double priceB = cost.applyAsDouble(b);
      if (Math.min(priceA, priceB) < least) {
        least = Math.min(priceA, priceB);
        best = priceA <= priceB ? a : b;
      }
      if (priceA <= priceB) {
        right = b;
      } else {
        left = a;
      }
    }
    return best;
  }
}
