package io.idlalayer.modelcontroller.quality.metrics;

import org.jspecify.annotations.Nullable;

/**
 * The metrics of predicted targets on some samples, except the mean absolute errors and the root
 * mean squared error of the model. A number is null if it is undefined, for instance because the
 * target never changed.
 *
 * @param quantileLoss10 mean pinball loss of the quantile 0.1, in units of the label: 0.1 times the
 *     error if the prediction is below the label, 0.9 times the error if it is above
 * @param quantileLoss90 pinball loss of the quantile 0.9
 * @param noChangeRootMeanSquaredError root mean squared error of predicting the previous label, on
 *     the samples that have a previous label
 * @param noChangeQuantileLoss10 {@code quantileLoss10} of predicting the previous label
 * @param noChangeQuantileLoss90 {@code quantileLoss90} of predicting the previous label
 * @param deviation standard deviation of the labels, which is the root mean squared error of
 *     predicting their mean
 * @param rSquared part of the labels' variance that the model explains, at most 1
 * @param mase mean absolute error of the model, divided by the error of the no-change reference, on
 *     the samples that have a previous label: below 1 if the model is better
 * @param quantile loss of the quantile that the model was trained for; null if the model was not
 *     trained for a quantile
 */
public record TargetMetrics(
    double quantileLoss10,
    double quantileLoss90,
    double noChangeRootMeanSquaredError,
    double noChangeQuantileLoss10,
    double noChangeQuantileLoss90,
    double deviation,
    @Nullable Double rSquared,
    @Nullable Double mase,
    @Nullable QuantileMetrics quantile) {}
