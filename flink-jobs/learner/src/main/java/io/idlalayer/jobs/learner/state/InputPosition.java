package io.idlalayer.jobs.learner.state;

/**
 * The position of a record: its topic, partition and offset.
 *
 * @param partition partition of the topic
 */
public record InputPosition(String topic, int partition, long offset) {}
