package io.idlalayer.modelcontroller.quality.metrics;

/**
 * A point of the calibration curve: samples with similar predicted probabilities.
 *
 * @param samples weight of these samples, above 0
 * @param predicted mean predicted probability, 0 to 1
 * @param actual share of the samples with the predicted outcome, 0 to 1
 */
public record CalibrationBin(double samples, double predicted, double actual) {}
