package io.idlalayer.datacontroller.stage;

import io.idlalayer.middleware.sample.LifeStage;

/**
 * Classifies by fixed borders: Preserve from a score of 0.75 on, Discard below 0.25, else Mature,
 * with a hysteresis of 0.05. It is for scores that have the same meaning in all updates.
 */
final class FixedClassifier implements StageClassifier {
  private static final QuantileClassifier.Thresholds THRESHOLDS =
      QuantileClassifier.Thresholds.around(0.75f, 0.25f, 0.05f);

  @Override
  public void observe(float[] scores) {
    // The borders are fixed.
  }

  @Override
  public StageEvent classify(LifeStage stage, float score) {
    return THRESHOLDS.classify(stage, score);
  }

  @Override
  public byte[] snapshot() {
    return new byte[0];
  }

  @Override
  public void restore(byte[] snapshot) {
    // There is no state to restore.
  }
}
