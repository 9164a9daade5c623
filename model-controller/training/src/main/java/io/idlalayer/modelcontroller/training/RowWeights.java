package io.idlalayer.modelcontroller.training;

import io.idlalayer.middleware.sample.TrainingRow;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The weights of the rows of an update, derived from the importance weights of their samples. Rows
 * of weight 0 are not trained. If the mean weight of the trained rows is above 1, all weights are
 * divided by this mean, so that the steps of an update are no larger than with weights of 1.
 * Weights below 1 make the steps smaller. So a row of weight 2 counts like two equal rows.
 *
 * @param counts how much each row counts, at least 0; null if all rows have weight 1
 * @param rows number of rows
 */
record RowWeights(double @Nullable [] counts, int rows) {
  static RowWeights of(List<TrainingRow> rows) {
    if (rows.stream().allMatch(row -> row.sample().weight() == 1)) {
      return new RowWeights(null, rows.size());
    }
    double[] weights = rows.stream().mapToDouble(row -> row.sample().weight()).toArray();
    double sum = 0;
    int positive = 0;
    for (double weight : weights) {
      sum += weight;
      positive += weight > 0 ? 1 : 0;
    }
    double mean = Math.max(1, sum / Math.max(1, positive));
    for (int i = 0; i < weights.length; i++) {
      weights[i] /= mean;
    }
    return new RowWeights(weights, weights.length);
  }

  /** Returns whether all rows have weight 1. */
  boolean equal() {
    return counts == null;
  }

  /** Returns how much a row counts. */
  double of(int row) {
    return counts == null ? 1 : counts[row];
  }

  /** Returns the indexes of the rows that are trained, ascending. */
  int[] trained() {
    return IntStream.range(0, rows).filter(row -> of(row) > 0).toArray();
  }

  /** Returns the indexes of the rows of weight 0, ascending. */
  int[] untrained() {
    return IntStream.range(0, rows).filter(row -> !(of(row) > 0)).toArray();
  }

  /**
   * Returns the weighted mean of the finite losses, or their unweighted mean if all their weights
   * are 0; NaN if no loss is finite.
   */
  double meanOfFinite(float[] losses) {
    double weighted = 0;
    double weight = 0;
    double sum = 0;
    int finite = 0;
    for (int i = 0; i < losses.length; i++) {
      if (Float.isFinite(losses[i])) {
        weighted += of(i) * losses[i];
        weight += of(i);
        sum += losses[i];
        finite++;
      }
    }
    return weight > 0 ? weighted / weight : sum / finite;
  }
}
