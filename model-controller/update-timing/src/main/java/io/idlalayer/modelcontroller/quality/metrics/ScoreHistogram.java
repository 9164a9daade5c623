package io.idlalayer.modelcontroller.quality.metrics;

import io.idlalayer.middleware.state.StateReader;
import io.idlalayer.middleware.state.StateWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A histogram of predicted probabilities and of outcomes, from which the area under the ROC curve
 * and the calibration are computed.
 *
 * <p>A probability falls into one of {@link #BINS} bins by its logit. The bins are 1/64 wide and
 * reach from -16 to 16; logits beyond this range fall into the first or the last bin. So
 * probabilities near 0 and 1 are distinguished as finely as others. For the area, a pair of samples
 * in one bin counts half, and {@link #areaError} returns the largest error that this causes. Means
 * of probabilities are exact. An object takes 48 KiB. Confined to one thread.
 */
final class ScoreHistogram {
  static final int BINS = 2_048;

  /** Largest number of bins of the calibration curve. */
  static final int CURVE_BINS = 20;

  /** Number of fields that {@link #write} uses. */
  static final int FIELDS = 4;

  private static final double BINS_PER_LOGIT = 64;

  private final double[] hits = new double[BINS];
  private final double[] misses = new double[BINS];
  private final double[] predicted = new double[BINS];

  /**
   * Adds a sample.
   *
   * @param probability predicted probability of the outcome, 0 to 1
   * @param hit whether the sample has the outcome
   */
  void add(double probability, boolean hit, double weight) {
    int bin = bin(probability);
    (hit ? hits : misses)[bin] += weight;
    predicted[bin] += weight * probability;
  }

  private static int bin(double probability) {
    double logit = Math.log(probability / (1 - probability));
    // The cast cuts infinite logits to the range of integers.
    int bin = (int) Math.floor(logit * BINS_PER_LOGIT + BINS / 2.0);
    return Math.max(0, Math.min(BINS - 1, bin));
  }

  /** Adds all samples of another histogram. */
  void add(ScoreHistogram other) {
    for (int i = 0; i < BINS; i++) {
      hits[i] += other.hits[i];
      misses[i] += other.misses[i];
      predicted[i] += other.predicted[i];
    }
  }

  void clear() {
    Arrays.fill(hits, 0);
    Arrays.fill(misses, 0);
    Arrays.fill(predicted, 0);
  }

  /**
   * Returns the probability that a sample with the outcome has a higher score than a sample without
   * it; a pair with equal scores counts one half. The error is at most {@link #areaError}. The
   * result is null if all samples have the outcome or no sample has it.
   */
  @Nullable Double area() {
    double below = 0;
    double ordered = 0;
    for (int i = 0; i < BINS; i++) {
      ordered += hits[i] * (below + misses[i] / 2);
      below += misses[i];
    }
    return Weights.quotient(ordered, Weights.sum(hits) * below);
  }

  /** Returns the largest error of {@link #area}: half the share of pairs that fell into one bin. */
  @Nullable Double areaError() {
    double together = 0;
    for (int i = 0; i < BINS; i++) {
      together += hits[i] * misses[i] / 2;
    }
    return Weights.quotient(together, Weights.sum(hits) * Weights.sum(misses));
  }

  /**
   * Returns the ratio of the predicted number of outcomes to the actual number; null if no sample
   * has the outcome.
   */
  @Nullable Double calibration() {
    return Weights.quotient(Weights.sum(predicted), Weights.sum(hits));
  }

  /**
   * Returns the calibration curve by rising probability: at most {@link #CURVE_BINS} bins, with
   * about the same number of samples in each.
   */
  List<CalibrationBin> curve() {
    double all = Weights.sum(hits) + Weights.sum(misses);
    List<CalibrationBin> curve = new ArrayList<>(CURVE_BINS);
    double seen = 0;
    double outcomes = 0;
    double probabilities = 0;
    double weight = 0;
    for (int i = 0; i < BINS; i++) {
      double own = hits[i] + misses[i];
      weight += own;
      seen += own;
      outcomes += hits[i];
      probabilities += predicted[i];
      boolean full = seen * CURVE_BINS >= all * (curve.size() + 1) || i == BINS - 1;
      if (weight > 0 && full) {
        curve.add(new CalibrationBin(weight, probabilities / weight, outcomes / weight));
        weight = 0;
        outcomes = 0;
        probabilities = 0;
      }
    }
    return List.copyOf(curve);
  }

  /** Writes the bins to {@link #FIELDS} fields of the state, beginning with {@code from}. */
  StateWriter write(StateWriter out, int from) {
    int[] used = IntStream.range(0, BINS).filter(i -> hits[i] + misses[i] > 0).toArray();
    return out.putInts(from, used)
        .putDoubles(from + 1, IntStream.of(used).mapToDouble(i -> hits[i]).toArray())
        .putDoubles(from + 2, IntStream.of(used).mapToDouble(i -> misses[i]).toArray())
        .putDoubles(from + 3, IntStream.of(used).mapToDouble(i -> predicted[i]).toArray());
  }

  /** Reads the fields that {@link #write} has written. */
  void read(StateReader in, int from) {
    int[] used = in.getInts(from);
    double[] came = in.getDoubles(from + 1, used.length);
    double[] failed = in.getDoubles(from + 2, used.length);
    double[] sums = in.getDoubles(from + 3, used.length);
    clear();
    for (int i = 0; i < used.length; i++) {
      if (used[i] < 0 || used[i] >= BINS) {
        throw in.refused("bin %d of %d does not exist".formatted(used[i], BINS));
      }
      hits[used[i]] = came[i];
      misses[used[i]] = failed[i];
      predicted[used[i]] = sums[i];
    }
  }
}
