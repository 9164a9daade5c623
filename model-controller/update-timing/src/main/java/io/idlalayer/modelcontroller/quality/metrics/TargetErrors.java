package io.idlalayer.modelcontroller.quality.metrics;

/**
 * The errors of predicted targets, in units of the label.
 *
 * @param meanAbsolute mean absolute error
 * @param rootMeanSquared root of the mean squared error
 * @param quantileLoss10 mean pinball loss of the quantile 0.1: 0.1 times the error if the
 *     prediction is below the label, 0.9 times the error if it is above
 * @param quantileLoss90 mean pinball loss of the quantile 0.9
 */
public record TargetErrors(
    double meanAbsolute, double rootMeanSquared, double quantileLoss10, double quantileLoss90) {}
