package io.idlalayer.benchmarks.quality;

import io.idlalayer.middleware.sample.Sample;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Changes that make a stream harder to learn: wrong labels and repeated events. A seed determines
 * the changes.
 *
 * @param flips share of rows whose given label is replaced by another class, 0 to 1
 * @param duplicates share of all events that repeat one of the last rows with the label that this
 *     row was given, 0 to 0.5
 */
record Adversary(double flips, double duplicates) {
  /** Largest distance, in rows, from a repetition back to the repeated row. */
  static final int DUPLICATE_DISTANCE_MAX = 1_000;

  Adversary {
    if (!(flips >= 0 && flips <= 1)) {
      throw new IllegalArgumentException("flips are %s, not a share in 0..1".formatted(flips));
    }
    if (!(duplicates >= 0 && duplicates <= 0.5)) {
      throw new IllegalArgumentException(
          "duplicates are %s, not a share in 0..0.5".formatted(duplicates));
    }
  }

  DriftStream apply(DriftStream stream, long seed) {
    Sample[] flipped = flip(stream, new SplittableRandom(seed * 31 + 1));
    return repeat(stream, flipped, new SplittableRandom(seed * 31 + 2));
  }

  private Sample[] flip(DriftStream stream, SplittableRandom random) {
    Sample[] given = stream.samples().clone();
    for (int i = 0; i < given.length; i++) {
      if (random.nextDouble() < flips) {
        int other = random.nextInt(stream.classes() - 1);
        int label = (int) given[i].label();
        given[i] = given[i].withLabel(other < label ? other : other + 1);
      }
    }
    return given;
  }

  /**
   * Gives each row an id, because a repetition is a second delivery of the same event and not a new
   * event.
   */
  private static Sample[] withIds(Sample[] rows) {
    Sample[] named = new Sample[rows.length];
    for (int i = 0; i < rows.length; i++) {
      Sample row = rows[i];
      named[i] = new Sample("r" + i, row.dense(), row.categorical(), row.ids(), row.label());
    }
    return named;
  }

  /**
   * Inserts a repetition after each row with probability d / (1 - d), so that the share d of all
   * events are repetitions.
   */
  private DriftStream repeat(DriftStream stream, Sample[] flipped, SplittableRandom random) {
    Sample[] rows = withIds(flipped);
    Sample[] samples = new Sample[2 * rows.length];
    int[] labels = new int[samples.length];
    boolean[] repeated = new boolean[samples.length];
    int at = 0;
    for (int i = 0; i < rows.length; i++) {
      samples[at] = rows[i];
      labels[at++] = stream.trueLabels()[i];
      if (random.nextDouble() < duplicates / (1 - duplicates)) {
        int back = i - random.nextInt(Math.min(i + 1, DUPLICATE_DISTANCE_MAX));
        samples[at] = rows[back];
        labels[at] = stream.trueLabels()[back];
        repeated[at++] = true;
      }
    }
    return new DriftStream(
        stream.name(),
        stream.schema(),
        Arrays.copyOf(samples, at),
        Arrays.copyOf(labels, at),
        Arrays.copyOf(repeated, at));
  }
}
