package io.idlalayer.middleware.memory.copy;

/**
 * The ratio of the real to the predicted time of copies of one direction: an exponentially weighted
 * mean on a logarithmic scale. Small copies do not count. A copy counts as at most twice or half of
 * the present mean, so that an outlier changes it by 9 % at most. Any thread may read; one at a
 * time observes.
 */
public final class Slowdown {
  /**
   * Size in bytes of the smallest copy that the mean includes; times of smaller copies are mostly
   * latency and noise.
   */
  public static final long LEAST_BYTES = 64 << 10;

  private static final double WEIGHT = 1.0 / 8;
  private static final double MOST_STEP = Math.log(2);

  private double logRatio;
  private volatile double ratio = 1;

  /** Returns an independent mean that continues from this one. */
  Slowdown copy() {
    Slowdown copy = new Slowdown();
    copy.logRatio = logRatio;
    copy.ratio = ratio;
    return copy;
  }

  /**
   * Adds a copy to the mean.
   *
   * @param bytes number of bytes that it copied
   * @param nanos its duration in nanoseconds
   * @param expectedNanos its predicted duration in nanoseconds
   */
  public void observe(long bytes, long nanos, long expectedNanos) {
    if (bytes < LEAST_BYTES) {
      return;
    }
    double off = Math.log((double) Math.max(1, nanos) / Math.max(1, expectedNanos)) - logRatio;
    logRatio += WEIGHT * Math.max(-MOST_STEP, Math.min(MOST_STEP, off));
    ratio = Math.exp(logRatio);
  }

  /** Returns the ratio of real to predicted time: above 0, and 1 before the first copy. */
  public double ratio() {
    return ratio;
  }
}
