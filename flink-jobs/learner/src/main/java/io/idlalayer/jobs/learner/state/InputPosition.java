package io.idlalayer.jobs.learner.state;

/**
 * Where a record is.
 *
 * @param partition of the topic
 */
public record InputPosition(String topic, int partition, long offset) {}
