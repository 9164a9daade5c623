package io.idlalayer.modelcontroller.training;

import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/** Fits mini-batches of one network until it is closed; nobody else uses the network meanwhile. */
public interface TrainingSteps extends AutoCloseable {
  /**
   * Fits one mini-batch.
   *
   * @param features of shape [rows, input width], row by row
   * @param labels of shape [rows, output width], row by row
   * @param weights how often each row counts, of mean 1; null if all count once
   * @param inputErrors of shape [rows, columns of features that come from tables], filled row by
   *     row with the gradient of the mini-batch's mean loss with respect to these features, before
   *     the parameters change; null if it is not needed
   * @param outputs of shape [rows, output width], filled row by row with the predictions of the
   *     forward pass, before the parameters change; null if they are not needed
   * @return the mini-batch's loss before it, unless the network does not say
   * @throws UnsupportedOperationException if errors or outputs are needed and the engine does not
   *     give them
   */
  OptionalDouble fit(
      float[] features,
      float[] labels,
      int rows,
      float @Nullable [] weights,
      float @Nullable [] inputErrors,
      float @Nullable [] outputs)
      throws InterruptedException;

  /** Fits one mini-batch, with neither the errors of its features nor its predictions. */
  default OptionalDouble fit(float[] features, float[] labels, int rows, float @Nullable [] weights)
      throws InterruptedException {
    return fit(features, labels, rows, weights, null, null);
  }

  @Override
  default void close() {}
}
