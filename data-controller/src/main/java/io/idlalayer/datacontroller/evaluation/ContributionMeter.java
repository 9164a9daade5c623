package io.idlalayer.datacontroller.evaluation;

import io.idlalayer.datacontroller.settings.DataSettings.ContributionMode;
import io.idlalayer.middleware.sample.Contribution;
import java.util.Arrays;

/**
 * Computes contributions from losses (specs, iDlaLayer 1.2 points 3 and 4): how much an update
 * learned from a sample, per occurrence, and the rank of this number among the samples of the
 * update. The methods have no side effects.
 */
final class ContributionMeter {
  /** Rank of a value that is not compared with other values. */
  static final float MIDDLE = 0.5f;

  private static final float WEIGHT = 0.5f;

  private ContributionMeter() {}

  /**
   * Returns the raw contribution of a sample after another evaluation, times its weight: the
   * smoothed decrease of its loss (GAIN); its remaining loss (LOSS); its remaining loss minus the
   * loss with the held-out model, smoothed (REDUCIBLE_LOSS); its remaining gradient norm
   * (GRADIENT_NORM). A value that was not measured leaves the contribution unchanged.
   *
   * @param first whether it is the first evaluation, before which there is no contribution
   * @param previous contribution so far
   */
  static float raw(ContributionMode mode, boolean first, float previous, Contribution measured) {
    float before = first ? 0 : previous;
    return switch (mode) {
      case GAIN -> {
        float gain = measured.weight() * Math.max(0, measured.lossBefore() - measured.lossAfter());
        yield first ? gain : smoothed(previous, gain);
      }
      case LOSS -> measured.weight() * measured.lossAfter();
      case REDUCIBLE_LOSS -> {
        float reducible = reducible(measured);
        yield Float.isNaN(reducible) ? before : first ? reducible : smoothed(previous, reducible);
      }
      case GRADIENT_NORM -> Float.isNaN(measured.gradientNorm()) ? before : measured.gradientNorm();
    };
  }

  /**
   * Returns by how much a sample's weighted loss exceeds the loss with the held-out model, at least
   * 0; NaN if not measured.
   */
  static float reducible(Contribution measured) {
    return measured.weight() * Math.max(0, measured.lossAfter() - measured.heldOutLoss());
  }

  /**
   * Returns an exponential moving average that gives the newest value half the weight; {@code
   * previous} is NaN if there is none.
   */
  static float smoothed(float previous, float value) {
    return Float.isNaN(previous) ? value : previous + WEIGHT * (value - previous);
  }

  /**
   * Returns the contribution of one occurrence of a content that arrived f times: {@code
   * contribution / (1 + ln f)}, because f copies share one gain.
   */
  static double staged(double contribution, double frequency) {
    return contribution / (1 + Math.log(frequency));
  }

  /**
   * Returns the rank of each value among all values, in [0, 1]: 0 for the smallest and 1 for the
   * largest. Equal values have the mean of their ranks. A single value has the middle rank.
   */
  static float[] percentiles(double[] values) {
    int n = values.length;
    float[] ranks = new float[n];
    if (n == 1) {
      ranks[0] = MIDDLE;
      return ranks;
    }
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    for (int i = 0; i < n; i++) {
      int below = lowerBound(sorted, values[i]);
      boolean tied = below + 1 < n && Double.compare(sorted[below + 1], values[i]) == 0;
      int upTo = tied ? upperBound(sorted, values[i]) : below + 1;
      ranks[i] = (float) ((below + upTo - 1) / 2.0 / (n - 1));
    }
    return ranks;
  }

  private static int lowerBound(double[] sorted, double value) {
    int low = 0;
    int high = sorted.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (Double.compare(sorted[middle], value) < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  private static int upperBound(double[] sorted, double value) {
    int low = 0;
    int high = sorted.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (Double.compare(sorted[middle], value) <= 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
