package io.idlalayer.modelcontroller.training;

import io.idlalayer.middleware.sample.TrainingRow;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a mini-batch that differ in content. Rows with equal content are computed once, with
 * their number as weight, so that the result of the training step is the same as with all rows.
 *
 * @param rows indexes of the distinct rows in the batch
 * @param weights weight of each distinct row, multiplied by (number of distinct rows / number of
 *     rows), because networks divide by the number of distinct rows; null if all rows are distinct
 *     and have equal weights
 * @param places for each row of the mini-batch, the position of its content among the distinct rows
 */
record DistinctRows(int[] rows, float @Nullable [] weights, int[] places) {
  /**
   * Returns all rows of a mini-batch, without merging equal rows.
   *
   * @param chosen indexes of the mini-batch's rows in the batch
   */
  static DistinctRows all(int[] chosen, RowWeights counts) {
    int[] places = new int[chosen.length];
    Arrays.setAll(places, i -> i);
    float[] weights = counts.equal() ? null : new float[chosen.length];
    for (int i = 0; weights != null && i < weights.length; i++) {
      weights[i] = (float) counts.of(chosen[i]);
    }
    return new DistinctRows(chosen, weights, places);
  }

  /**
   * Finds the distinct rows of a mini-batch, in the order of their first occurrence.
   *
   * @param chosen indexes of the mini-batch's rows in the batch
   */
  static DistinctRows of(List<TrainingRow> batch, int[] chosen, RowWeights weightOfRow) {
    if (!anyEqual(batch, chosen)) {
      return all(chosen, weightOfRow);
    }
    Map<Long, Integer> known = new HashMap<>();
    int[] rows = new int[chosen.length];
    double[] counts = new double[chosen.length];
    boolean[] begun = new boolean[chosen.length];
    int[] places = new int[chosen.length];
    for (int i = 0; i < chosen.length; i++) {
      int place = known.computeIfAbsent(batch.get(chosen[i]).content(), any -> known.size());
      rows[place] = begun[place] ? rows[place] : chosen[i];
      begun[place] = true;
      counts[place] += weightOfRow.of(chosen[i]);
      places[i] = place;
    }
    int distinct = known.size();
    float[] weights = new float[distinct];
    for (int i = 0; i < distinct; i++) {
      weights[i] = (float) (counts[i] * distinct / chosen.length);
    }
    return new DistinctRows(Arrays.copyOf(rows, distinct), weights, places);
  }

  private static boolean anyEqual(List<TrainingRow> batch, int[] chosen) {
    long[] contents = Arrays.stream(chosen).mapToLong(row -> batch.get(row).content()).toArray();
    Arrays.sort(contents);
    for (int i = 1; i < contents.length; i++) {
      if (contents[i] == contents[i - 1]) {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns the outputs of all rows of the mini-batch.
   *
   * @param outputs outputs of the distinct rows, shape [distinct rows, width]
   */
  float[] ofAll(float[] outputs) {
    if (rows.length == places.length) {
      return outputs;
    }
    int width = outputs.length / rows.length;
    float[] all = new float[places.length * width];
    for (int i = 0; i < places.length; i++) {
      System.arraycopy(outputs, places[i] * width, all, i * width, width);
    }
    return all;
  }
}
