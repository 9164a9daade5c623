package io.idlalayer.modelcontroller.training;

/**
 * Trains models. An instance belongs to the one thread that calls it, from its first call to {@link
 * #close()}.
 */
public interface Trainer extends AutoCloseable {
  /**
   * Runs one training. The base artifact is never changed, so a failed training leaves nothing
   * behind.
   *
   * @throws TrainingFailedException if the training diverged (a loss or a parameter that is not
   *     finite) or the backend failed
   * @throws InterruptedException if the thread was interrupted between two mini-batches
   */
  TrainingResult train(TrainingRequest request)
      throws TrainingFailedException, InterruptedException;

  @Override
  void close();
}
