package io.idlalayer.modelloader.network;

import java.io.IOException;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * A network, whichever library class it is. One input of shape [rows, input width], one output of
 * shape [rows, output width]: class probabilities or scaled targets. Belongs to one thread; {@link
 * #close} frees its memory.
 */
public interface ModelNetwork extends AutoCloseable {
  /** Predictions of shape [rows, output width], which the caller closes. */
  INDArray output(INDArray features);

  /** Whether every parameter, and every number of the updater's state, is finite. */
  boolean finite();

  /** Parameters and updater state as a file; equal networks give equal bytes. */
  byte[] encode() throws IOException;

  @Override
  void close();
}
