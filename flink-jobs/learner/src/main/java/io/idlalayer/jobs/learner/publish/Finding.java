package io.idlalayer.jobs.learner.publish;

/**
 * What a comparison has found so far.
 *
 * @param baselineVersion what the model is compared with, 0 for nothing
 * @param samples compared
 * @param difference how much worse the model is, in units of the metric
 */
public record Finding(long baselineVersion, long samples, double difference) {
  public static final Finding NONE = new Finding(0, 0, 0);
}
