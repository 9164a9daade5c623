package io.idlalayer.modelloader.serve;

/**
 * A network that predicts, by any implementation. One input of shape [rows, input width], one
 * output of shape [rows, output width]: class probabilities or scaled targets. Belongs to one
 * thread; {@link #close} frees its memory.
 */
public interface PredictingNetwork extends AutoCloseable {
  /**
   * Returns the predictions; shape [rows, output width].
   *
   * @param features features of the rows; shape [rows, input width]
   */
  float[] output(float[] features, int rows);

  @Override
  void close();
}
