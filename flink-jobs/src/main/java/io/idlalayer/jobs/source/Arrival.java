package io.idlalayer.jobs.source;

/**
 * One event on its way to the learner that owns it. A mutable Flink POJO with public fields, so
 * that its serializer stays the fast generated one.
 */
public final class Arrival {
  /** A decoded sample; {@link #body} is its codec encoding. */
  public static final byte SAMPLE = 0;

  /** An event that could not be decoded; {@link #body} is the event, {@link #text} the reason. */
  public static final byte MALFORMED = 1;

  /** The end of one input partition; {@link #text} is the number of partitions of the topic. */
  public static final byte END = 2;

  /** Somebody asks for an update of what waits. */
  public static final byte TRAIN = 3;

  /** A label is taken back; {@link #text} is the event id. */
  public static final byte RETRACT = 4;

  /** Somebody asks why a sample has its stage; {@link #text} is its id. */
  public static final byte EXPLAIN = 5;

  /** Flink key of a learner, see {@link LearnerKey}. */
  public String key = "";

  public byte kind;
  public String topic = "";
  public int topicPartition;
  public long offset;

  /** When the record was written to the topic, epoch milliseconds. */
  public long createdAtMillis;

  public long hashHigh;
  public long hashLow;
  public byte[] body = {};
  public String text = "";

  /** Where the producer took the event from, "" if it did not say. */
  public String origin = "";

  public Arrival() {}
}
