package io.idlalayer.modelruntime.artifact;

import java.io.Serializable;

/**
 * The loss of a predicted target, and how a network's output becomes the prediction. Predictions
 * and targets are in any unit that both share; for the Huber loss in the unit of its threshold.
 *
 * @param kind formula of the loss
 * @param parameter level of a quantile, above 0 and below 1; distance from which the Huber loss
 *     grows linearly, above 0; 0 for the others
 */
public record TargetLoss(Kind kind, double parameter) implements Serializable {
  /** Squared error, whose best prediction is the mean. */
  public static final TargetLoss SQUARED = new TargetLoss(Kind.SQUARED, 0);

  /** Absolute error, whose best prediction is the median. */
  public static final TargetLoss ABSOLUTE = new TargetLoss(Kind.ABSOLUTE, 0);

  /** Loss of a Poisson rate, whose best prediction is the mean. */
  public static final TargetLoss POISSON = new TargetLoss(Kind.POISSON, 0);

  /** A smaller rate counts as this rate, so that a rate of 0 has a finite loss. */
  private static final double LEAST_RATE = 1e-7;

  /** The formula of a loss. */
  public enum Kind {
    /** The square of the error. */
    SQUARED,
    /** The absolute error. */
    ABSOLUTE,
    /**
     * The Huber loss: half of the square of a small error; a large error counts linearly (Huber
     * 1964).
     */
    HUBER,
    /** Pinball loss of a quantile (Koenker and Bassett 1978). */
    QUANTILE,
    /** Half of the deviance of a Poisson distribution, whose rate is the prediction. */
    POISSON
  }

  /**
   * Checks the parameter.
   *
   * @throws IllegalArgumentException if it is outside of its range
   */
  public TargetLoss {
    boolean fits =
        switch (kind) {
          case QUANTILE -> parameter > 0 && parameter < 1;
          case HUBER -> parameter > 0 && Double.isFinite(parameter);
          case SQUARED, ABSOLUTE, POISSON -> parameter == 0;
        };
    if (!fits) {
      throw new IllegalArgumentException(kind + " has no parameter " + parameter);
    }
  }

  /** Returns the pinball loss of a quantile. */
  public static TargetLoss quantile(double level) {
    return new TargetLoss(Kind.QUANTILE, level);
  }

  /** Returns the Huber loss that grows linearly from a distance on. */
  public static TargetLoss huber(double delta) {
    return new TargetLoss(Kind.HUBER, delta);
  }

  /** Returns the level of the quantile that is predicted; NaN if none is. */
  public double level() {
    return kind == Kind.QUANTILE ? parameter : Double.NaN;
  }

  /** Returns whether a network gives the logarithm of the prediction. */
  public boolean logLink() {
    return kind == Kind.POISSON;
  }

  /** Returns the prediction for an output of the network, in the unit of scaled targets. */
  public double prediction(double output) {
    return logLink() ? Math.exp(output) : output;
  }

  /** Returns the loss; at least 0, and 0 if the prediction is the target. */
  public double loss(double predicted, double target) {
    double error = predicted - target;
    return switch (kind) {
      case SQUARED -> error * error;
      case ABSOLUTE -> Math.abs(error);
      case HUBER -> huberLoss(Math.abs(error));
      case QUANTILE -> error < 0 ? -parameter * error : (1 - parameter) * error;
      case POISSON -> {
        double rate = Math.max(LEAST_RATE, predicted);
        double gain = target > 0 ? target * Math.log(target / rate) : 0;
        yield rate - target + gain;
      }
    };
  }

  private double huberLoss(double distance) {
    return distance > parameter ? parameter * (distance - parameter / 2) : distance * distance / 2;
  }

  /** Returns the derivative of the loss with respect to the output of the network. */
  public double slope(double predicted, double target) {
    double error = predicted - target;
    return switch (kind) {
      case SQUARED -> 2 * error;
      case ABSOLUTE -> Math.signum(error);
      case HUBER -> Math.abs(error) > parameter ? Math.signum(error) * parameter : error;
      // A comparison with NaN is false, so NaN stays NaN.
      case QUANTILE -> error > 0 ? 1 - parameter : error < 0 ? -parameter : error;
      // The derivative of exp is exp.
      case POISSON -> error;
    };
  }

  /**
   * Returns this loss of predictions and targets in another unit.
   *
   * @param unit unit of this loss, in the other one
   */
  public TargetLoss in(double unit) {
    return kind == Kind.HUBER ? huber(parameter * unit) : this;
  }
}
