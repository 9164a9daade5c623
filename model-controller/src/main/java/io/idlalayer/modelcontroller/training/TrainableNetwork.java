package io.idlalayer.modelcontroller.training;

import io.idlalayer.middleware.placement.PlacedMemory;
import java.io.IOException;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * What training and serving need of a network, whichever library class it is. One input of shape
 * [rows, input width], one output of shape [rows, output width]: class probabilities or scaled
 * targets. Belongs to one thread; {@link #close} frees its memory.
 */
interface TrainableNetwork extends AutoCloseable {
  /** Predictions of shape [rows, output width], which the caller closes. */
  INDArray output(INDArray features);

  /** Fits mini-batches until it is closed; nobody else uses the network meanwhile. */
  Steps plainly();

  /**
   * As {@link #plainly}, with the tensors in a memory. The bits are the same.
   *
   * @throws io.idlalayer.modelcontroller.training.placed.UnsupportedNetworkException if it cannot
   *     train this way; the network is as it was
   */
  Steps placed(PlacedMemory memory) throws InterruptedException;

  /** Whether every parameter, and every number of the updater's state, is finite. */
  boolean finite();

  /** Parameters and updater state as a file; equal networks give equal bytes. */
  byte[] encode() throws IOException;

  @Override
  void close();

  /** Fits mini-batches of one network. */
  interface Steps extends AutoCloseable {
    /**
     * Fits one mini-batch.
     *
     * @param weights how often each row counts, of mean 1; null if all count once
     * @return the mini-batch's loss before it, unless the network does not say
     */
    OptionalDouble fit(INDArray features, INDArray labels, float @Nullable [] weights)
        throws InterruptedException;

    @Override
    default void close() {}
  }
}
