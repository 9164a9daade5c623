package io.idlalayer.modelcontroller.quality.metrics;

/**
 * The pinball loss of the quantile that a model was trained for, in units of the label. The loss of
 * a prediction that is too low by d is level times d. The loss of a prediction that is too high by
 * d is (1 - level) times d.
 *
 * @param level level of the quantile, above 0 and below 1
 * @param loss mean loss of the model
 * @param noChangeLoss mean loss of predicting the previous label, on the samples that have a
 *     previous label
 */
public record QuantileMetrics(double level, double loss, double noChangeLoss) {}
