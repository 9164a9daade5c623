package io.idlalayer.modelcontroller.training;

import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/**
 * Trains one network on mini-batches until it is closed; no other code is allowed to use the
 * network until then.
 */
public interface TrainingSteps extends AutoCloseable {
  /**
   * Trains the network on one mini-batch.
   *
   * @param features features of the rows; shape [rows, input width]
   * @param labels labels of the rows; shape [rows, output width]
   * @param weights weight of each row, at least 0; null if all have weight 1
   * @param inputErrors receives the gradient of the mini-batch's mean loss with respect to the
   *     features that come from tables, before the parameters change; shape [rows, columns of such
   *     features]. Null if the gradient is not needed
   * @param outputs receives the predictions of the forward pass, before the parameters change;
   *     shape [rows, output width]. Null if they are not needed
   * @return the mini-batch's loss before the update, empty if the network does not report a loss
   * @throws UnsupportedOperationException if errors or outputs are needed and the engine does not
   *     provide them
   */
  OptionalDouble fit(
      float[] features,
      float[] labels,
      int rows,
      float @Nullable [] weights,
      float @Nullable [] inputErrors,
      float @Nullable [] outputs)
      throws InterruptedException;

  /**
   * Trains the network on one mini-batch, without returning the errors of its features or its
   * predictions.
   */
  default OptionalDouble fit(float[] features, float[] labels, int rows, float @Nullable [] weights)
      throws InterruptedException {
    return fit(features, labels, rows, weights, null, null);
  }

  @Override
  default void close() {}
}
