package io.idlalayer.modelcontroller.training;

import io.idlalayer.modelloader.network.ModelNetwork;

/** A network that can be trained. */
public interface TrainableNetwork extends ModelNetwork {
  /**
   * Begins to train it; nobody else uses the network until the steps are closed.
   *
   * @param seed of what is random in training
   */
  TrainingSteps steps(long seed) throws InterruptedException;

  /**
   * Whether the forward pass of a mini-batch gives what a prediction would give, and its steps tell
   * it.
   */
  default boolean predictsInTraining() {
    return false;
  }
}
