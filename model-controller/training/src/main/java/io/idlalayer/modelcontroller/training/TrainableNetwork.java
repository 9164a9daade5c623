package io.idlalayer.modelcontroller.training;

import io.idlalayer.modelloader.serve.ModelNetwork;

/** A network that can be trained. */
public interface TrainableNetwork extends ModelNetwork {
  /**
   * Starts a training and returns its steps. No other code is allowed to use the network until the
   * steps are closed.
   *
   * @param seed seed of the random numbers of the training
   */
  TrainingSteps steps(long seed) throws InterruptedException;

  /**
   * Returns whether the forward pass of a training gives the same outputs as a prediction, and the
   * training steps return them.
   */
  default boolean predictsInTraining() {
    return false;
  }

  /**
   * Returns whether one row of weight w has the same effect in training as w equal rows. This is
   * false if the result of a row depends on other rows (batch normalization) or on chance
   * (dropout), or if gradients are summed over rows instead of averaged.
   */
  boolean rowsCombine();
}
