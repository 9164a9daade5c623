package io.idlalayer.jobs.learner;

/**
 * What a comparison has found so far.
 *
 * @param baselineVersion what the model is compared with, 0 for nothing
 * @param samples compared
 * @param difference how much worse the model is, in units of the metric
 */
record Finding(long baselineVersion, long samples, double difference) {
  static final Finding NONE = new Finding(0, 0, 0);
}
