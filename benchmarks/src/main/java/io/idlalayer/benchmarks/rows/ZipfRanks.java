package io.idlalayer.benchmarks.rows;

import java.util.SplittableRandom;

/**
 * Draws ranks from 1 to n with probabilities proportional to rank^-s, by rejection-inversion
 * (Hormann and Derflinger 1996): a draw takes constant time and no table. An exponent of 0 is the
 * uniform distribution. One thread.
 */
final class ZipfRanks {
  private final int ranks;
  private final double exponent;
  private final SplittableRandom random;
  private final double first;
  private final double last;
  private final double accepted;

  /**
   * @param ranks at least 1
   * @param exponent at least 0
   */
  ZipfRanks(int ranks, double exponent, long seed) {
    if (ranks < 1 || !(exponent >= 0)) {
      throw new IllegalArgumentException("Zipf(%s) of %d ranks".formatted(exponent, ranks));
    }
    this.ranks = ranks;
    this.exponent = exponent;
    random = new SplittableRandom(seed);
    first = integral(1.5) - 1;
    last = integral(ranks + 0.5);
    accepted = 2 - inverse(integral(2.5) - density(2));
  }

  /** The next rank, 1 the most probable. */
  int next() {
    if (exponent == 0) {
      return 1 + random.nextInt(ranks);
    }
    while (true) {
      double area = last + random.nextDouble() * (first - last);
      double point = inverse(area);
      int rank = (int) Math.max(1, Math.min(ranks, point + 0.5));
      if (rank - point <= accepted || area >= integral(rank + 0.5) - density(rank)) {
        return rank;
      }
    }
  }

  private double density(double x) {
    return Math.exp(-exponent * Math.log(x));
  }

  /** Returns the integral of the density from 1 to x. */
  private double integral(double x) {
    double log = Math.log(x);
    double power = (1 - exponent) * log;
    return (Math.abs(power) < 1e-8 ? 1 + power / 2 : Math.expm1(power) / power) * log;
  }

  private double inverse(double area) {
    double scaled = Math.max(-1, area * (1 - exponent));
    double log = Math.abs(scaled) < 1e-8 ? 1 - scaled / 2 : Math.log1p(scaled) / scaled;
    return Math.exp(log * area);
  }
}
