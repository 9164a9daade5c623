package io.idlalayer.benchmarks.budget;

import io.idlalayer.middleware.cache.budget.FastUse;
import io.idlalayer.middleware.cache.policy.PolicyName;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Loads that were not chosen: their numbers are drawn from wide ranges. */
final class RandomLoads {
  private static final int PHASES_MAX = 4;

  private RandomLoads() {}

  /** Returns the load of a seed: an hour and a half to four hours in one to four phases. */
  static Load of(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    Load.Contents contents =
        new Load.Contents(
            new SimulatedCache.Kind(
                FastUse.SAMPLES,
                PolicyName.ADAPTIVE,
                1_024,
                (int) between(random, 4_000, 60_000),
                between(random, 1, 4),
                between(random, 20e-6, 500e-6)),
            new SimulatedCache.Kind(
                FastUse.ROWS,
                PolicyName.W_TINY_LFU,
                160,
                (int) between(random, 30_000, 400_000),
                between(random, 1.5, 6),
                between(random, 5e-6, 100e-6)),
            (long) between(random, 4 << 20, 14 << 20));
    List<Load.Phase> phases = new ArrayList<>();
    int count = 1 + random.nextInt(PHASES_MAX);
    for (int phase = 0; phase < count; phase++) {
      phases.add(
          new Load.Phase(
              (int) between(random, 90.0 / count, 240.0 / count),
              (int) between(random, 100, 4_000),
              (int) between(random, 500, 16_000),
              (int) between(random, 10, 1_000)));
    }
    return new Load("random " + seed, contents, phases);
  }

  /** Returns a number whose logarithm is uniform. */
  private static double between(SplittableRandom random, double least, double most) {
    return least * Math.pow(most / least, random.nextDouble());
  }
}
