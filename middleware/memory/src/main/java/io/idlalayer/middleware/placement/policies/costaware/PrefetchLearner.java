package io.idlalayer.middleware.placement.policies.costaware;

import java.util.HashMap;
import java.util.Map;
import java.util.random.RandomGenerator;

/**
 * Learns for every argument of every kernel whether it pays to bring it to the fast device first:
 * epsilon-greedy over both choices by the time that the kernel then took, copies included. What the
 * tier model expects counts as some observations, so that the first steps need not try everything.
 */
final class PrefetchLearner {
  private static final double EPSILON = 0.02;
  private static final double DECAY = 0.2;

  /** Observations of either choice that the model's word counts as much as. */
  private static final double MODEL_WEIGHT = 3;

  /** An argument of a kernel. */
  record Place(String kernel, int index, int argument) {}

  private static final class Arms {
    private final double[] nanos = new double[2];
    private final int[] trials = new int[2];

    /** Nanoseconds that prefetching takes more. */
    double difference(double expectedNanos) {
      int both = Math.min(trials[0], trials[1]);
      double seen = both == 0 ? 0 : nanos[1] - nanos[0];
      return (both * seen + MODEL_WEIGHT * expectedNanos) / (both + MODEL_WEIGHT);
    }
  }

  private final Map<Place, Arms> places = new HashMap<>();
  private final RandomGenerator random;

  PrefetchLearner(RandomGenerator random) {
    this.random = random;
  }

  /**
   * Whether to prefetch now.
   *
   * @param expectedNanos that prefetching takes more than using the argument where it is, by a
   *     model; negative if less
   */
  boolean choose(Place place, double expectedNanos) {
    if (random.nextDouble() < EPSILON) {
      return random.nextBoolean();
    }
    Arms arms = places.get(place);
    return (arms == null ? expectedNanos : arms.difference(expectedNanos)) <= 0;
  }

  /** What came of a choice. */
  void observe(Place place, boolean prefetched, double nanos) {
    Arms arms = places.computeIfAbsent(place, p -> new Arms());
    int arm = prefetched ? 1 : 0;
    arms.nanos[arm] =
        arms.trials[arm]++ == 0 ? nanos : (1 - DECAY) * arms.nanos[arm] + DECAY * nanos;
  }
}
