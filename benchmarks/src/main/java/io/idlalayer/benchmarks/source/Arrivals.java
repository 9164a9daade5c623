package io.idlalayer.benchmarks.source;

import java.util.Arrays;
import java.util.SplittableRandom;

/** When the events of a run arrive. */
enum Arrivals {
  /** At one mean rate, independently of each other. */
  STEADY {
    @Override
    double[] gaps(int events, SplittableRandom random) {
      double[] gaps = new double[events];
      Arrays.setAll(gaps, i -> exponential(random, 1));
      return gaps;
    }
  },
  /**
   * In bursts of 50 events in the mean, ten times as fast as the mean rate, with pauses between.
   */
  BURSTS {
    @Override
    double[] gaps(int events, SplittableRandom random) {
      double[] gaps = new double[events];
      for (int i = 0; i < events; i++) {
        boolean pause = random.nextDouble() < 1 / BURST_EVENTS;
        gaps[i] =
            exponential(random, 1 / BURST_SPEED)
                + (pause ? exponential(random, BURST_EVENTS * (1 - 1 / BURST_SPEED)) : 0);
      }
      return gaps;
    }
  };

  private static final double BURST_EVENTS = 50;
  private static final double BURST_SPEED = 10;
  private static final double MILLIS_PER_SECOND = 1_000;

  /** Draws the time from each event to the next one; the mean is 1. */
  abstract double[] gaps(int events, SplittableRandom random);

  /**
   * Draws arrival times, the same for the same seed.
   *
   * @param events at least 1
   * @param seconds about how long the stream lasts; the sum of all gaps
   * @return milliseconds since the start, ascending, the first one 0
   */
  long[] millis(int events, double seconds, long seed) {
    double[] gaps = gaps(events, new SplittableRandom(seed));
    double scale = seconds * MILLIS_PER_SECOND / Arrays.stream(gaps).sum();
    long[] times = new long[events];
    double now = 0;
    for (int i = 1; i < events; i++) {
      now += gaps[i - 1] * scale;
      times[i] = (long) now;
    }
    return times;
  }

  private static double exponential(SplittableRandom random, double mean) {
    return -mean * Math.log(1 - random.nextDouble());
  }
}
