package io.idlalayer.datacontroller.stage;

import io.idlalayer.middleware.sample.LifeStage;

/**
 * Chooses the life stages of evaluated samples by their scores, one update after the other.
 * Confined to one thread.
 */
public interface StageClassifier {
  /**
   * Receives the scores of an update's samples before the samples are classified.
   *
   * @param scores scores in [0, 1]
   */
  void observe(float[] scores);

  /** Returns the event for a sample of the update, by the sample's stage and score. */
  StageEvent classify(LifeStage stage, float score);

  /** Returns the classifier's state as versioned bytes. */
  byte[] snapshot();

  /** Restores the state of a {@link #snapshot()}. */
  void restore(byte[] snapshot);
}
