package io.idlalayer.datacontroller.contribution;

import io.idlalayer.datacontroller.DataSettings.ContributionMode;
import java.util.Arrays;

/**
 * Turns losses into contributions (specs, iDlaLayer 1.2 points 3 and 4): how much an update learned
 * from a sample, per occurrence, as its rank among the samples of that update. Pure.
 */
public final class ContributionMeter {
  private static final float GAIN_WEIGHT = 0.5f;
  private static final float MIDDLE = 0.5f;

  private ContributionMeter() {}

  /**
   * The raw contribution after another evaluation: the loss that fell, smoothed (GAIN), or the loss
   * that is left (LOSS).
   *
   * @param previous contribution so far, ignored at the first evaluation
   */
  public static float raw(
      ContributionMode mode, boolean first, float previous, float before, float after) {
    return switch (mode) {
      case GAIN -> {
        float gain = Math.max(0, before - after);
        yield first ? gain : previous + GAIN_WEIGHT * (gain - previous);
      }
      case LOSS -> after;
    };
  }

  /** The contribution of one occurrence: {@code c / (1 + ln f)}, as f copies share one gain. */
  public static double staged(double contribution, double frequency) {
    return contribution / (1 + Math.log(frequency));
  }

  /**
   * Rank of each value among all, in [0, 1]: the smallest 0, the largest 1, equal ones their mean.
   * A single value is in the middle.
   */
  public static float[] percentiles(double[] values) {
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
      int upTo = upperBound(sorted, values[i]);
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
