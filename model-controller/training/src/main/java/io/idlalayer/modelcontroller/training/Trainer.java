package io.idlalayer.modelcontroller.training;

/**
 * Trains models. An instance belongs to the one thread that calls it, from its first call to {@link
 * #close()}.
 */
public interface Trainer extends AutoCloseable {
  /**
   * Runs one training and returns the new model. The base artifact is never changed, so a failed
   * training leaves nothing behind.
   *
   * @throws TrainingFailedException if the training diverged (a loss, a parameter or a number of
   *     the updater's state is not finite), or if the backend failed. If the samples that cause a
   *     divergence can be found, the exception names them
   * @throws InterruptedException if the thread was interrupted. The interrupt is checked between
   *     mini-batches and, in passes that only compute losses, after every few hundred rows
   */
  TrainingResult train(TrainingRequest request)
      throws TrainingFailedException, InterruptedException;

  @Override
  void close();
}
