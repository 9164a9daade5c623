package io.idlalayer.middleware.embedding.plan;

import io.idlalayer.middleware.primitive.BitMixer;
import java.io.Serializable;
import java.util.Arrays;

/**
 * The parameters by which new embedding rows are initialized and rows are trained.
 *
 * @param learningRate above 0
 * @param initialScale the vector of a new row is uniform between this and its negative; its wide
 *     part is 0
 * @param seed seed of the vectors of new rows, which depend only on the seed, the table and the id
 */
public record RowRule(double learningRate, double initialScale, long seed) implements Serializable {
  /**
   * Writes the numbers of a new row into an array. They depend only on the seed, the table and the
   * key of the id.
   *
   * @param length number of floats that the row has in the array: its weights, and the updater's
   *     state if the array has it
   */
  public void begin(EmbeddingPlan.Table table, long key, float[] values, int at, int length) {
    long bits = seed ^ table.rowKey(key);
    Arrays.fill(values, at, at + length, 0);
    for (int i = 0; i < table.vector(); i++) {
      bits += BitMixer.GOLDEN_RATIO;
      double unit = (BitMixer.splitMix(bits) >>> 11) * 0x1p-53;
      values[at + i] = (float) ((2 * unit - 1) * initialScale);
    }
  }
}
