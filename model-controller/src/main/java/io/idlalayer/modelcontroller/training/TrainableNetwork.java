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
}
