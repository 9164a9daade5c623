package io.idlalayer.modelcontroller.quality.metrics;

/**
 * The pinball loss of the quantile that a model was trained for, in units of the label. A
 * prediction that is too low by d costs level times d; one that is too high by d costs (1 - level)
 * times d.
 *
 * @param level level of the quantile, above 0 and below 1
 * @param loss mean loss of the model
 * @param noChangeLoss mean loss of predicting the previous label, on the samples that have one
 */
public record QuantileMetrics(double level, double loss, double noChangeLoss) {}
