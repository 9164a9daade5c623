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
   *     the updater's state that is not finite), naming the samples that cause it where they can be
   *     told apart; or if the backend failed
   * @throws InterruptedException if the thread was interrupted, which is looked at between
   *     mini-batches, and between some hundred rows of passes that only read
   */
  TrainingResult train(TrainingRequest request)
      throws TrainingFailedException, InterruptedException;

  @Override
  void close();
}
