package io.idlalayer.modelcontroller.training;

import io.idlalayer.modelruntime.artifact.FeatureScaler;
import io.idlalayer.modelruntime.artifact.TargetLoss;

/**
 * Decides whether a training has diverged, by the mean loss of its rows before and after it. Both
 * losses must be computed with one scaler, because a scaler limits how far away a target counts.
 */
final class LossGrowth {
  /** Growth of the mean loss, as a factor, above which a training has diverged. */
  static final double LIMIT = 50;

  /**
   * Mean loss above which growth is looked at: of classes as it is, of a target in squared scales.
   * A network that says nothing but the mean has a loss of 1 squared scale. Other losses of targets
   * are looked at from the loss on of an error whose square is that; those of rates from this many
   * times the loss on of a rate that is the mean.
   */
  static final double HIGH = 10;

  private LossGrowth() {}

  /** Returns whether a mean loss after a training is one that only a bad network has. */
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
