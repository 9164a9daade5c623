package io.idlalayer.modelcontroller.training;

import io.idlalayer.modelruntime.artifact.FeatureScaler;

/**
 * Decides whether a training has diverged, by the mean loss of its rows before and after it. Both
 * losses have to be counted alike: under one scaler, as targets count as at most some of its scales
 * away.
 */
final class LossGrowth {
  /** Growth of the mean loss, as a factor, above which a training has diverged. */
  static final double LIMIT = 50;

  /**
   * Mean loss above which growth is looked at: of classes as it is, of a target in squared scales.
   * A network that says nothing but the mean has a loss of 1 squared scale.
   */
  static final double HIGH = 10;

  private LossGrowth() {}

  /** Returns whether a mean loss after a training is one that only a bad network has. */
  static boolean isHigh(double after, FeatureScaler scaler) {
    double scale = scaler.targetScale();
    return after > HIGH * scale * scale;
  }

  static boolean isDivergence(double before, double after) {
    return after > LIMIT * before;
  }
}
