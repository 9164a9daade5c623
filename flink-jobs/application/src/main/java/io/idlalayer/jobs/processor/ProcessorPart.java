package io.idlalayer.jobs.processor;

/** A part of the work of a learner whose processor time is counted separately. */
public enum ProcessorPart {
  /** The operator's thread chooses the samples of an update and loads them. */
  DECIDING,
  /** The trainer thread records the attempt, trains, and makes the files of the model. */
  TRAINING,
  /** The operator's thread evaluates the trained samples, and writes state. */
  ACCEPTING,
  /**
   * The operator's thread makes the decision events and notices of updates, encodes them, and gives
   * them to Kafka's producer.
   */
  REPORTING,
  /** The trainer thread publishes a version; other threads write some of its files. */
  PUBLISHING,
  /** The trainer thread deletes old versions. */
  CLEANING_UP,
  /** The network threads of the job's Kafka producers send the events of updates. */
  SENDING,
  /**
   * The process of the job gets the events of updates from its learners, or reads them from Kafka,
   * to show its progress.
   */
  FOLLOWING,
  /** Statuses and other events that no update causes: made, sent, and read again. */
  STATUSES;

  /** Returns whether updates cause this work. */
  public boolean causedByUpdates() {
    return this != STATUSES;
  }
}
