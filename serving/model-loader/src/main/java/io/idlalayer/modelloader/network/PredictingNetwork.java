package io.idlalayer.modelloader.network;

/**
 * A network that predicts, whatever computes it. One input of shape [rows, input width], one output
 * of shape [rows, output width]: class probabilities or scaled targets. Belongs to one thread;
 * {@link #close} frees its memory.
 */
public interface PredictingNetwork extends AutoCloseable {
  /**
   * Predictions of shape [rows, output width], row by row.
   *
   * @param features of shape [rows, input width], row by row
   */
  float[] output(float[] features, int rows);

  @Override
  void close();
}
