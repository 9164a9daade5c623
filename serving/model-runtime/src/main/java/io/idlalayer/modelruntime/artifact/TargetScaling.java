package io.idlalayer.modelruntime.artifact;

/**
 * Scales the label of an application of targets: by its centre and scale, or if the network gives
 * the logarithm of a rate by its mean. Labels of classes stay as they are. Immutable.
 */
public final class TargetScaling {
  /** Largest quotient of two scales by which targets count about alike. */
  private static final double ALIKE = 2;

  /** Least unit of a rate, in units of the target. */
  private static final double LEAST_RATE_UNIT = 0.1;

  private final RobustColumn.State column;
  private final boolean target;
  private final boolean enabled;
  private final boolean logLink;
  private final double centre;
  private final double factor;

  /**
   * @param column state of the label's column
   * @param target whether the label is a target
   * @param enabled whether values are scaled at all
   * @param logLink whether the network gives the logarithm of the scaled target
   */
  TargetScaling(RobustColumn.State column, boolean target, boolean enabled, boolean logLink) {
    this.column = column;
    this.target = target;
    this.enabled = enabled;
    this.logLink = logLink;
    boolean scaled = enabled && target && !RobustColumn.unseen(column);
    if (logLink) {
      centre = 0;
      factor = enabled ? 1 / rateUnit(column) : 1;
    } else {
      centre = scaled ? column.mean() : 0;
      factor = scaled ? 1 / RobustColumn.scale(column.mean(), column.variance()) : 1;
    }
  }

  /**
   * Returns the unit of a rate: the mean of the targets, so that the output of the network is about
   * 0. The mean of rare counts is not known well, since most values are 0.
   */
  private static double rateUnit(RobustColumn.State column) {
    return RobustColumn.unseen(column) ? 1 : Math.max(LEAST_RATE_UNIT, column.mean());
  }

  /** Returns whether the network gives the logarithm of the scaled target. */
  public boolean logLink() {
    return logLink;
  }

  /** Returns the linear transformation by which a target is scaled, before it is bounded. */
  public FeatureScaler.Linear linear() {
    return new FeatureScaler.Linear(centre, factor);
  }

  /** Scales a target. */
  public float scaled(double value) {
    if (logLink) {
      return (float) (counted(value) * factor);
    }
    return enabled && target
        ? (float) FeatureScaler.bounded((value - centre) * factor, FeatureScaler.LIMIT)
        : (float) counted(value);
  }

  /**
   * Returns a target with the value by which losses count it, in its own units: a target farther
   * than {@link FeatureScaler#LIMIT} scales from the centre counts as lying there. A rate counts as
   * at most that number above the centre even if its scale is below 1, because the scale of rare
   * counts is not known well.
   */
  public double counted(double value) {
    return near(value, FeatureScaler.LIMIT * (logLink ? Math.max(1, scale()) : scale()));
  }

  /**
   * Returns a target, limited to one scale on either side of the centre. So a mean of older targets
   * is not far from the present targets, even if the level or unit of the targets has changed.
   */
  double usual(double value) {
    return near(value, scale());
  }

  private double near(double value, double maxDeviation) {
    return !target || RobustColumn.unseen(column)
        ? value
        : column.mean() + FeatureScaler.bounded(value - column.mean(), maxDeviation);
  }

  /** Returns the scale of the target, in its own units; 1 for classes. */
  public double scale() {
    return target ? RobustColumn.scale(column.mean(), column.variance()) : 1;
  }

  /**
   * Returns whether losses by this scaling and another one can be compared: whether their targets
   * have about the same centre and scale.
   */
  public boolean countsLike(TargetScaling other) {
    double otherScale = other.scale();
    double apart = Math.abs(column.mean() - other.column.mean());
    return !target
        || (Math.max(scale(), otherScale) <= ALIKE * Math.min(scale(), otherScale)
            && apart <= Math.max(scale(), otherScale));
  }

  /** Converts a scaled prediction to one in units of the target; finite if it is. */
  public double unscaled(double value) {
    return FeatureScaler.bounded(value / factor + centre, Float.MAX_VALUE);
  }

  /** Converts an error in units of the target to the scaled units of the network. */
  public double scaledError(double error) {
    return error * factor;
  }
}
