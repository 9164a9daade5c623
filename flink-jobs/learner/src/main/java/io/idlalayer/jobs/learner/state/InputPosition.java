package io.idlalayer.jobs.learner.state;

/**
 * The position of a record: its topic, partition and offset.
 *
 * @param topic topic of the record; "" if the position is not known
 * @param partition partition of the topic
 */
public record InputPosition(String topic, int partition, long offset) {
  /** The position of an event that did not come from a topic. */
  public static final InputPosition UNKNOWN = new InputPosition("", -1, -1);

  /** Returns whether topic, partition and offset are known. */
  public boolean known() {
    return !topic.isEmpty();
  }

  /**
   * Returns topic and partition in the form of states, statuses and manifests; "" if they are not
   * known.
   */
  public String name() {
    return known() ? InputPositions.name(topic, partition) : "";
  }
}
