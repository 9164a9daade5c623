package io.idlalayer.modelcontroller.training;

import io.idlalayer.middleware.sample.TrainingRow;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a mini-batch that differ in content. Rows of one content are computed once, and count
 * as often as they are there, so that the step is the one of all rows.
 *
 * @param rows indexes of the distinct rows in the batch
 * @param weights how much each distinct row counts, with mean 1, because networks divide by the
 *     number of rows; null if all rows are distinct
 * @param places for each row of the mini-batch, the position of its content among the distinct rows
 */
record DistinctRows(int[] rows, float @Nullable [] weights, int[] places) {
  /**
   * Returns all rows of a mini-batch, whether they are equal or not.
   *
   * @param chosen indexes of its rows in the batch
   */
  static DistinctRows all(int[] chosen) {
    int[] places = new int[chosen.length];
    Arrays.setAll(places, i -> i);
    return new DistinctRows(chosen, null, places);
  }

  /**
   * Finds the distinct rows of a mini-batch, in the order in which their contents come first.
   *
   * @param chosen indexes of its rows in the batch
   */
  static DistinctRows of(List<TrainingRow> batch, int[] chosen) {
    if (!anyEqual(batch, chosen)) {
      return all(chosen);
    }
    Map<Long, Integer> known = new HashMap<>();
    int[] rows = new int[chosen.length];
    int[] counts = new int[chosen.length];
    int[] places = new int[chosen.length];
    for (int i = 0; i < chosen.length; i++) {
      int place = known.computeIfAbsent(batch.get(chosen[i]).content(), any -> known.size());
      rows[place] = counts[place] == 0 ? chosen[i] : rows[place];
      counts[place]++;
      places[i] = place;
    }
    int distinct = known.size();
    float[] weights = new float[distinct];
    for (int i = 0; i < distinct; i++) {
      weights[i] = (float) counts[i] * distinct / chosen.length;
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
    if (weights == null) {
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
