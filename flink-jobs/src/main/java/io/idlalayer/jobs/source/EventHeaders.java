package io.idlalayer.jobs.source;

/** Record headers that the product reads and writes. */
public final class EventHeaders {
  /** Where a produced record was read: {@code file name#record number}. */
  public static final String SOURCE = "idla-source";

  /** Marks the end of an input partition; the value is the topic's number of partitions. */
  public static final String END = "idla-end";

  /** Asks for an update of what waits, whatever the rule says; such a record is no event. */
  public static final String TRAIN = "idla-train";

  /** Asks why the sample that the value names has its stage; such a record is no event. */
  public static final String EXPLAIN = "idla-explain";

  private EventHeaders() {}
}
