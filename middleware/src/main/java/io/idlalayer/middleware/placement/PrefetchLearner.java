package io.idlalayer.middleware.placement;

import java.util.HashMap;
import java.util.Map;
import java.util.random.RandomGenerator;

/**
 * Learns for every argument of every kernel whether it pays to bring it to the fast device first:
 * epsilon-greedy over both choices by the time that the kernel then took, copies included.
 */
final class PrefetchLearner {
  private static final double EPSILON = 0.05;
  private static final double DECAY = 0.2;
  private static final int TRIALS = 2;

  /** An argument of a kernel. */
  record Place(String kernel, int index, int argument) {}

  private static final class Arms {
    private final double[] nanos = new double[2];
    private final int[] trials = new int[2];
  }

  private final Map<Place, Arms> places = new HashMap<>();
  private final RandomGenerator random;

  PrefetchLearner(RandomGenerator random) {
    this.random = random;
  }

  /** Whether to prefetch now. */
  boolean choose(Place place) {
    Arms arms = places.computeIfAbsent(place, p -> new Arms());
    if (arms.trials[1] < TRIALS || arms.trials[0] < TRIALS) {
      return arms.trials[1] <= arms.trials[0];
    }
    if (random.nextDouble() < EPSILON) {
      return random.nextBoolean();
    }
    return arms.nanos[1] <= arms.nanos[0];
  }

  /** What came of a choice. */
  void observe(Place place, boolean prefetched, double nanos) {
    Arms arms = places.computeIfAbsent(place, p -> new Arms());
    int arm = prefetched ? 1 : 0;
    arms.nanos[arm] =
        arms.trials[arm]++ == 0 ? nanos : (1 - DECAY) * arms.nanos[arm] + DECAY * nanos;
  }
}
