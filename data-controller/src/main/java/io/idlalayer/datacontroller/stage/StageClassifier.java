package io.idlalayer.datacontroller.stage;

import io.idlalayer.middleware.sample.LifeStage;

/** Chooses the stage of evaluated samples, one update after the other. Confined to one thread. */
public interface StageClassifier {
  /**
   * Takes the scores of an update's samples into account before they are classified.
   *
   * @param scores in [0, 1]
   */
  void observe(float[] scores);

  /** Returns the event that the evaluation of one sample of that update means for its stage. */
  StageEvent classify(LifeStage stage, float score);

  /** Returns the classifier's memory, versioned. */
  byte[] snapshot();

  /** Takes {@link #snapshot()} back. */
  void restore(byte[] snapshot);
}
