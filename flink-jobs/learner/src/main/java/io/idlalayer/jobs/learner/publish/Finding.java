package io.idlalayer.jobs.learner.publish;

/**
 * The result so far of the comparison between the newest model and the baseline.
 *
 * @param baselineVersion version with which the model is compared; 0 if there is none
 * @param samples number of compared samples
 * @param difference difference by which the model is worse, in units of the metric
 */
public record Finding(long baselineVersion, long samples, double difference) {
  public static final Finding NONE = new Finding(0, 0, 0);
}
