package io.idlalayer.jobs.source;

import io.idlalayer.jobs.settings.LearnerKey;
import io.idlalayer.jobs.topics.EventHeaders;

/**
 * One record on its way from the source to the learner that owns it. {@link ArrivalSerializer}
 * carries each field.
 */
public final class Arrival {
  /**
   * A decoded sample; {@link #body} is its codec encoding. If it lacks something that another event
   * with its id may have, the learner may refuse it, and {@link #event} is the event.
   */
  public static final byte SAMPLE = 0;

  /**
   * An event that could not be decoded; {@link #body} is the event and, behind the gate, its
   * beginning; {@link #text} is the reason.
   */
  public static final byte MALFORMED = 1;

  /**
   * An input has ended; {@link #text} is the end's id, {@link #body} the offsets that it waits for.
   */
  public static final byte END = 2;

  /**
   * A request for an update with the waiting samples; {@link #body} has the offsets that it waits
   * for.
   */
  public static final byte TRAIN = 3;

  /**
   * A request to take back a label; {@link #text} is the event id, {@link #body} has the offsets
   * that it waits for.
   */
  public static final byte RETRACT = 4;

  /** A question why a sample has its life stage; {@link #text} is the sample's id. */
  public static final byte EXPLAIN = 5;

  /** A mark in a partition, which shows that the learner has read that partition up to it. */
  public static final byte MARK = 6;

  /**
   * A record that is not a valid request: {@link #body} is the record, {@link #text} the reason.
   */
  public static final byte REFUSED_CONTROL = 7;

  /** A record that was learned before and was read again. */
  public static final byte REREAD = 8;

  /**
   * Lost input: {@link #offset} is the first offset, {@link #until} the one after the last, {@link
   * #text} the reason.
   */
  public static final byte LOST = 9;

  /**
   * A call without a record, after the wall clock was set back, because the learner's timer may be
   * wrong.
   */
  public static final byte WAKE = 10;

  /**
   * The names of fields that the event before has instead of a declared one that it lacks; {@link
   * #text} has one in a line.
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

  /** The event as it arrived, or its beginning, if a learner may still refuse it; else empty. */
  public byte[] event = {};

  public String text = "";

  /**
   * Place from which the producer read the event, such as a file and a record number; "" if it did
   * not say.
   */
  public String origin = "";

  /** Full length of the event in bytes, if {@link #body} is only its beginning. */
  public long length;

  /** Identity of the record's input, see {@link EventHeaders.Identity}; none if the number is 0. */
  public long input;

  public long inputNumber;

  public Arrival() {}
}
