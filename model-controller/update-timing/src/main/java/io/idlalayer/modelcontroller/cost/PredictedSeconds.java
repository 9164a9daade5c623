package io.idlalayer.modelcontroller.cost;

/**
 * A prediction in seconds with its 95 % interval.
 *
 * @param low lower end, at least 0
 * @param mean expected seconds
 * @param high upper end
 */
public record PredictedSeconds(double low, double mean, double high) {}
