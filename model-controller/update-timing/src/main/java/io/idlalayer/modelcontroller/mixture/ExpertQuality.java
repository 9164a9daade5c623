package io.idlalayer.modelcontroller.mixture;

import org.jspecify.annotations.Nullable;

/**
 * The weight of an expert, and how well it predicted alone.
 *
 * @param name name of the expert
 * @param weight weight of the expert in the next version, 0 to 1
 * @param samples sum of the importance weights of the samples on which the expert was judged
 * @param accuracy share of the samples whose class the expert predicted; null for targets
 * @param meanAbsoluteError mean absolute error of the predicted targets, in units of the label;
 *     null for classes
 * @param meanLoss mean log loss of classes in nats, or mean squared error of targets, in which an
 *     outlier counts less
 */
public record ExpertQuality(
    String name,
    double weight,
    double samples,
    @Nullable Double accuracy,
    @Nullable Double meanAbsoluteError,
    double meanLoss) {
  /** Returns this quality with another weight. */
  public ExpertQuality weighing(double other) {
    return new ExpertQuality(name, other, samples, accuracy, meanAbsoluteError, meanLoss);
  }
}
