package io.idlalayer.jobs.source;

import io.idlalayer.jobs.settings.LearnerKey;
import io.idlalayer.jobs.topics.EventHeaders;

/**
 * One record on its way from the source to the learner that owns it. {@link ArrivalSerializer}
 * carries each field.
 */
public final class Arrival {
  /**
   * A decoded sample; {@link #body} is its encoding by {@code SampleCodec}. If the sample lacks
   * something that another event with the same id might have, the learner might refuse the sample.
   * {@link #event} is then the event, or its beginning.
   */
  public static final byte SAMPLE = 0;

  /**
   * An event that could not be decoded. {@link #text} is the reason. {@link #body} is the event as
   * far as a dead letter keeps it; behind {@link InputGate} it is a shorter beginning.
   */
  public static final byte MALFORMED = 1;

  /**
   * The end of an input. {@link #text} is the id of the end. {@link #body} has the offsets up to
   * which the learner must have read before it handles the end.
   */
  public static final byte END = 2;

  /**
   * A request for an update with the waiting samples. {@link #body} has the offsets up to which the
   * learner must have read before it handles the request.
   */
  public static final byte TRAIN = 3;

  /**
   * A request to take back a label. {@link #text} is the id of the event. {@link #body} has the
   * offsets up to which the learner must have read before it handles the request.
   */
  public static final byte RETRACT = 4;

  /** A question why a sample has its life stage; {@link #text} is the sample's id. */
  public static final byte EXPLAIN = 5;

  /**
   * A mark in a partition. When the mark arrives, the learner has read the partition up to the
   * mark.
   */
  public static final byte MARK = 6;

  /**
   * A record that should be a request but is not valid: {@link #body} is the record, {@link #text}
   * the reason.
   */
  public static final byte REFUSED_CONTROL = 7;

  /** A record that was learned before and was read again. */
  public static final byte REREAD = 8;

  /**
   * Lost input: {@link #offset} is the first lost offset, {@link #until} the offset after the last
   * lost one, {@link #text} the reason.
   */
  public static final byte LOST = 9;

  /**
   * A call without a record, after the wall clock was set back. The learner then sets its timer
   * again, because the timer might be wrong.
   */
  public static final byte WAKE = 10;

  /**
   * The names of undeclared fields of the event that arrived before. The event has them, but lacks
   * a declared field. {@link #text} has one name in each line.
   */
  public static final byte FIELDS = 11;

  /** A request like {@link #RETRACT}, after which the model forgets what it has learned. */
  public static final byte FORGET = 12;

  /** Flink key of a learner, see {@link LearnerKey}. */
  public String key = "";

  public byte kind;
  public String topic = "";
  public int topicPartition;
  public long offset;

  /** Offset after the range of lost input, for {@link #LOST} only. */
  public long until;

  /** Time when the record was written to the topic, epoch milliseconds, at least 0. */
  public long createdAtMillis;

  public long hashHigh;
  public long hashLow;
  public byte[] body = {};

  /**
   * The event as it arrived, or its beginning, if a learner might still refuse it; otherwise empty.
   */
  public byte[] event = {};

  public String text = "";

  /**
   * Place from which the producer read the event, such as a file and a record number; "" if the
   * producer did not send it.
   */
  public String origin = "";

  /** Full length of the event in bytes, if {@link #body} is only its beginning. */
  public long length;

  /** Identity of the record's input, see {@link EventHeaders.Identity}; none if the number is 0. */
  public long input;

  public long inputNumber;

  public Arrival() {}
}
