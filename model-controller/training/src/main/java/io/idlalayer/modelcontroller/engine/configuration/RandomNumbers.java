package io.idlalayer.modelcontroller.engine.configuration;

import java.util.SplittableRandom;

/**
 * Random numbers from a seed. They are equal on every machine and with every version of Java,
 * because the generator is specified, and logarithm and square root come from {@link StrictMath}.
 * Confined to one thread.
 */
final class RandomNumbers {
  /** Largest distance from the mean, in deviations, of a truncated normal distribution. */
  private static final double TRUNCATED = 2;

  private final SplittableRandom random;
  private double next;
  private boolean hasNext;

  RandomNumbers(long seed) {
    random = new SplittableRandom(seed);
  }

  /** Returns a number that is uniform between two bounds. */
  double uniform(double from, double to) {
    return from + random.nextDouble() * (to - from);
  }

  /** Returns a standard normal number, by Marsaglia's polar method. */
  double normal() {
    if (hasNext) {
      hasNext = false;
      return next;
    }
    while (true) {
      double x = 2 * random.nextDouble() - 1;
      double y = 2 * random.nextDouble() - 1;
      double square = x * x + y * y;
      // About four of five points lie in the circle, so the loop ends soon.
      if (square < 1 && square > 0) {
        double factor = StrictMath.sqrt(-2 * StrictMath.log(square) / square);
        next = y * factor;
        hasNext = true;
        return x * factor;
      }
    }
  }

  /** Returns a standard normal number that is at most two deviations from the mean. */
  double truncatedNormal() {
    double number = normal();
    while (Math.abs(number) > TRUNCATED) {
      number = normal();
    }
    return number;
  }
}
