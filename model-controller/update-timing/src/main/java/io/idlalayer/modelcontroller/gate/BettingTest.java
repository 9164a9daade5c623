package io.idlalayer.modelcontroller.gate;

/**
 * Tests whether the mean of bounded values is above a limit. The test can be evaluated after every
 * value without losing its validity.
 *
 * <p>A gambler starts with a capital of 1. For each value, the gambler bets a fixed share of the
 * capital that the value is above the limit: {@code capital *= 1 + share * (value - limit)}. If the
 * mean of each value, given the values before it, is at most the limit, the expected gain is at
 * most 0, and the probability that the capital ever reaches 1/alpha is at most alpha (Ville's
 * inequality). So the test stays valid however often it is evaluated, and the values need not be
 * independent. The test uses several gamblers with different shares, and the mean of their capital
 * (Waudby-Smith and Ramdas 2024, "Estimating means of bounded random variables by betting").
 *
 * <p>Confined to one thread.
 */
final class BettingTest {
  /**
   * Shares of the largest possible bet, one for each gambler; small shares find small differences.
   */
  private static final double[] SHARES = {
    1.0 / 64, 1.0 / 32, 1.0 / 16, 1.0 / 8, 1.0 / 4, 1.0 / 2, 0.75, 0.95
  };

  private final double limit;
  private final double[] logCapitals = new double[SHARES.length];
  private long count;
  private double sum;

  /**
   * @param limit limit of the mean, in [0, 1)
   */
  public BettingTest(double limit) {
    this.limit = limit;
  }

  /**
   * Adds the next value.
   *
   * @param value the value, in [-1, 1]
   */
  public void add(double value) {
    if (!(value >= -1 && value <= 1)) {
      throw new IllegalArgumentException("%s is not in [-1, 1]".formatted(value));
    }
    count++;
    sum += value;
    for (int i = 0; i < SHARES.length; i++) {
      logCapitals[i] += Math.log1p(SHARES[i] / (1 + limit) * (value - limit));
    }
  }

  public long count() {
    return count;
  }

  /** Returns the mean of the values so far; 0 before the first value. */
  public double mean() {
    return count == 0 ? 0 : sum / count;
  }

  /**
   * Returns whether the values so far show that the mean is above the limit.
   *
   * @param alpha probability, in (0, 1), that a test ever returns true although the mean is not
   *     above the limit
   */
  public boolean isAbove(double alpha) {
    return logCapital() >= -Math.log(alpha);
  }

  /** Returns the natural logarithm of the gamblers' mean capital; 0 before the first value. */
  public double logCapital() {
    double most = Double.NEGATIVE_INFINITY;
    for (double each : logCapitals) {
      most = Math.max(most, each);
    }
    double total = 0;
    for (double each : logCapitals) {
      total += Math.exp(each - most);
    }
    return most + Math.log(total / SHARES.length);
  }
}
