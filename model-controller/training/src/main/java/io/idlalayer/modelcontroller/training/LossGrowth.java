package io.idlalayer.modelcontroller.training;

import io.idlalayer.modelruntime.artifact.FeatureScaler;
import io.idlalayer.modelruntime.artifact.TargetLoss;

/**
 * Decides whether a training has diverged, by the mean loss of its rows before and after it. Both
 * losses must be computed with the same scaler, because the scaler decides at which distance a
 * target is clamped.
 */
final class LossGrowth {
  /** Growth of the mean loss, as a factor, above which a training has diverged. */
  static final double LIMIT = 50;

  /**
   * Mean loss above which the growth of the loss is checked. For classes, this is the log loss. For
   * squared errors of targets, the unit is the square of the target's scale; a network that always
   * predicts the mean has a loss of 1 in this unit. For other losses of targets, the limit is the
   * loss of an error whose square is this number. For losses of rates, the limit is this number
   * times the loss at the mean rate.
   */
  static final double HIGH = 10;

  private LossGrowth() {}

  /** Returns whether a mean loss after a training is so high that the network must be bad. */
  static boolean isHigh(double after, TargetLoss loss, FeatureScaler scaler) {
    double scale = scaler.target().scale();
    if (loss.kind() == TargetLoss.Kind.POISSON) {
      double mean = 1 / scaler.target().linear().factor();
      return after > HIGH * Math.max(mean, scale * scale / mean);
    }
    TargetLoss own = loss.in(1 / scaler.target().linear().factor());
    double far = Math.sqrt(HIGH) * scale;
    return after > Math.max(own.loss(far, 0), own.loss(0, far));
  }

  static boolean isDivergence(double before, double after) {
    return after > LIMIT * before;
  }
}
