package io.idlalayer.modelcontroller.training;

import io.idlalayer.modelloader.serve.ModelNetwork;

/** A network that can be trained. */
public interface TrainableNetwork extends ModelNetwork {
  /**
   * Starts a training and returns its steps. No other code may use the network until the steps are
   * closed.
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
   * Returns whether one row of weight w trains this network as w equal rows do. Rows that depend on
   * the others of their mini-batch (batch normalization) or on chance (dropout) prevent it, and
   * gradients that are summed over rows instead of averaged.
   */
  boolean rowsCombine();
}
