package io.idlalayer.modelcontroller.quality.metrics;

/**
 * The pinball loss of the quantile that a model was trained for, in units of the label: of what is
 * missing to the label {@code level} counts, of what is too much the rest.
 *
 * @param level level of the quantile, above 0 and below 1
 * @param loss mean loss of the model
 * @param noChangeLoss mean loss of predicting the previous label, on the samples that have one
 */
public record QuantileMetrics(double level, double loss, double noChangeLoss) {}
