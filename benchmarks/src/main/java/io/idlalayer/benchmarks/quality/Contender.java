package io.idlalayer.benchmarks.quality;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * One configuration in the race. All train the same network on every new sample; they differ in
 * when they train and in what they train again.
 *
 * @param batch new samples (COUNT) or events (PERIODIC) from update to update
 * @param replayBudget most replayed samples of an update
 */
record Contender(Policy policy, Rule rule, int batch, int replayBudget) {
  private static final int CONTINUOUS_BATCH = 32;
  private static final int[] BATCHES = {250, 1_000, 4_000};
  private static final int[] BUDGETS = {64, 256, 1_024};
  private static final int[] PERIODS = {125, 250, 500, 1_000, 4_000};

  /** What trains again. */
  enum Policy {
    /** Nothing, update by update of 32. */
    CONTINUOUS,
    /** Nothing, at a fixed period. */
    PERIODIC,
    /** What the product chooses by life stage. */
    FUZZY,
    /** A random sample of everything trained. */
    UNIFORM,
    /** The samples trained last. */
    NEWEST_WINDOW,
    /** A random sample of everything trained, held and renewed one by one (Vitter's R). */
    RESERVOIR,
    /** The highest losses last known. */
    LOSS,
    /** A random sample with the same share of every class. */
    CLASS_BALANCED,
    /** A random sample of those that the product calls Preserve. */
    PRESERVE_RANDOM,
    /** A random sample of those that the product calls Mature. */
    MATURE_RANDOM,
    /** A random sample of those that the product calls Discard. */
    DISCARD_RANDOM;

    String key() {
      return name().toLowerCase(Locale.ROOT);
    }

    static Policy of(String key) {
      for (Policy policy : values()) {
        if (policy.key().equals(key)) {
          return policy;
        }
      }
      throw new IllegalArgumentException(
          "unknown policy " + key + "; known are " + List.of(values()));
    }
  }

  /** When to train. */
  enum Rule {
    COUNT,
    PERIODIC
  }

  /** Every configuration of a policy that the experiment tries. */
  static List<Contender> grid(Policy policy) {
    List<Contender> grid = new ArrayList<>();
    switch (policy) {
      case CONTINUOUS -> grid.add(new Contender(policy, Rule.COUNT, CONTINUOUS_BATCH, 0));
      case PERIODIC -> {
        for (int period : PERIODS) {
          grid.add(new Contender(policy, Rule.PERIODIC, period, 0));
        }
      }
      default -> {
        for (int batch : BATCHES) {
          for (int budget : BUDGETS) {
            grid.add(new Contender(policy, Rule.COUNT, batch, budget));
          }
        }
      }
    }
    return grid;
  }
}
