package io.idlalayer.benchmarks.source;

/**
 * How long samples wait from their arrival until the version is published that has learned from
 * them. Samples are trained in the order of their arrival. One thread.
 */
final class Incorporation {
  private static final double MILLIS_PER_SECOND = 1_000;

  private final long[] arrivals;
  private int published;
  private int updates;
  private double sumMillis;
  private long lastMillis;

  /**
   * @param arrivals arrival time of each sample in milliseconds, ascending; at least one
   */
  Incorporation(long[] arrivals) {
    this.arrivals = arrivals.clone();
  }

  /**
   * A version is published.
   *
   * @param samples number of samples that its update trained for the first time
   * @throws IllegalStateException if these are more than have arrived and wait
   */
  void published(int samples, long atMillis) {
    int to = published + samples;
    if (to > arrivals.length || (samples > 0 && arrivals[to - 1] > atMillis)) {
      throw new IllegalStateException(
          "an update at %d ms has trained %d samples after %d, but fewer have arrived"
              .formatted(atMillis, samples, published));
    }
    for (int i = published; i < to; i++) {
      sumMillis += atMillis - arrivals[i];
    }
    published = to;
    updates++;
    lastMillis = atMillis;
  }

  /** Whether every sample is in a published version. */
  boolean complete() {
    return published == arrivals.length;
  }

  /** Number of samples that are in a published version. */
  int publishedSamples() {
    return published;
  }

  int updates() {
    return updates;
  }

  /** Seconds from the first arrival to the latest publication. */
  double elapsedSeconds() {
    return (lastMillis - arrivals[0]) / MILLIS_PER_SECOND;
  }

  /** Seconds that the last sample waited. */
  double lastWaitSeconds() {
    return (lastMillis - arrivals[arrivals.length - 1]) / MILLIS_PER_SECOND;
  }

  /** Mean of the seconds that samples waited. */
  double meanWaitSeconds() {
    return sumMillis / MILLIS_PER_SECOND / published;
  }

  /** Sum of the seconds that samples waited. */
  double waitSeconds() {
    return sumMillis / MILLIS_PER_SECOND;
  }
}
