package io.idlalayer.modelcontroller.quality.metrics;

/**
 * The errors of predicted targets, in units of the label.
 *
 * @param meanAbsolute mean absolute error
 * @param rootMeanSquared root of the mean squared error
 * @param quantileLoss10 pinball loss of the quantile 0.1: what is missing to the label counts 0.1,
 *     what is too much 0.9
 * @param quantileLoss90 pinball loss of the quantile 0.9
 */
public record TargetErrors(
    double meanAbsolute, double rootMeanSquared, double quantileLoss10, double quantileLoss90) {}
