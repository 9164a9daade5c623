package io.idlalayer.modelloader.network;

import java.io.IOException;

/**
 * A network, whatever computes it. One input of shape [rows, input width], one output of shape
 * [rows, output width]: class probabilities or scaled targets. Belongs to one thread; {@link
 * #close} frees its memory.
 */
public interface ModelNetwork extends AutoCloseable {
  /**
   * Predictions of shape [rows, output width], row by row.
   *
   * @param features of shape [rows, input width], row by row
   */
  float[] output(float[] features, int rows);

  /** Whether every parameter, and every number of the updater's state, is finite. */
  boolean finite();

  /** Parameters and updater state as a file; equal networks give equal bytes. */
  byte[] encode() throws IOException;

  @Override
  void close();
}
