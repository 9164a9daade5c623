package io.idlalayer.jobs.learner;

import io.idlalayer.datacontroller.intake.EventRecord;
import io.idlalayer.jobs.learner.state.InputPosition;
import io.idlalayer.jobs.survey.Refused;
import io.idlalayer.middleware.sample.ContentHash;
import io.idlalayer.middleware.sample.Sample;
import java.util.List;
import java.util.SortedMap;

/**
 * An event that reaches a learner from its topics. Each event contains the position of the record
 * that brought it.
 */
public sealed interface LearnerEvent {
  /** Returns the place of the event's record in its topic. */
  InputPosition at();

  /** A record of the input topic that counts as an event. */
  sealed interface Input extends LearnerEvent {
    /** Returns when the record was written to the topic, epoch milliseconds; 0 if unknown. */
    long createdAtMillis();
  }

  /**
   * A decoded sample from the input topic.
   *
   * @param hash hash of the sample's content
   * @param payload encoding of the sample, which the store keeps unchanged
   * @param raw the event as it arrived, for the case that the learner refuses the event
   */
  record SampleArrived(
      InputPosition at,
      long createdAtMillis,
      Sample sample,
      ContentHash hash,
      byte[] payload,
      RawEvent raw)
      implements Input {
    /** Returns the record that brought the event. */
    EventRecord record() {
      return new EventRecord(
          at.topic(), at.partition(), at.offset(), raw.origin(), raw.event(), raw.length());
    }
  }

  /**
   * An event as it arrived.
   *
   * @param origin place from which a producer read it, such as a file and a line; "" if unknown
   * @param event bytes of the event, or their beginning
   * @param length number of bytes of the whole event
   */
  record RawEvent(String origin, byte[] event, long length) {
    /** Stands for an event that the learner does not refuse. */
    public static final RawEvent NONE = new RawEvent("", new byte[0], 0);
  }

  /**
   * An event that could not be decoded; the event was sent to the dead letters.
   *
   * @param refused the reason and the beginning of the event's text
   */
  record Malformed(InputPosition at, long createdAtMillis, Refused refused) implements Input {}

  /**
   * The undeclared fields of the previous event, which lacks a declared field. One of the
   * undeclared fields is possibly a misspelling of the missing field.
   *
   * @param names names of fields, none of which is declared
   */
  record UndeclaredFields(InputPosition at, List<String> names) implements LearnerEvent {}

  /** A request that is carried out when the input is read up to given offsets. */
  sealed interface Request extends LearnerEvent {
    /**
     * Returns the next offset that must be reached first, by "topic-partition"; empty if the
     * request is due at once.
     */
    SortedMap<String, Long> after();
  }

  /**
   * A notice that an input has ended: the learner must learn and publish everything before the end.
   *
   * @param id id of the end in the learner's status
   */
  record EndOfInput(InputPosition at, String id, SortedMap<String, Long> after)
      implements Request {}

  /** A request for an update of the waiting samples. */
  record UpdateRequest(InputPosition at, SortedMap<String, Long> after) implements Request {}

  /**
   * A request to take back the label of an event.
   *
   * @param eventId the event's own id
   * @param forgets whether the model must forget what it has learned from the event's sample
   */
  record RetractionRequest(
      InputPosition at, String eventId, boolean forgets, SortedMap<String, Long> after)
      implements Request {
    /** Creates a request after which the model keeps what it has learned. */
    public RetractionRequest(InputPosition at, String eventId, SortedMap<String, Long> after) {
      this(at, eventId, false, after);
    }
  }

  /**
   * A question why a sample has its life stage.
   *
   * @param sampleId the id of the sample's event, or {@code #} and the sample's number
   */
  record Explain(InputPosition at, String sampleId) implements LearnerEvent {}

  /**
   * A mark in a partition of the input, which shows that the learner has read the partition up to
   * the mark.
   */
  record PositionMark(InputPosition at) implements LearnerEvent {}

  /**
   * A record on a control topic that is not a valid request. The record was sent to the dead
   * letters.
   */
  record RefusedRequest(InputPosition at, String reason) implements LearnerEvent {}

  /** An input record that was learned before and was read again. */
  record Reread(InputPosition at) implements LearnerEvent {}

  /**
   * A range of input records that the topic had lost before they were read.
   *
   * @param at position of the first lost record
   * @param until offset after the last lost record
   */
  record LostInput(InputPosition at, long until, String reason) implements LearnerEvent {}

  /**
   * A call without an event, after the wall clock was set back, because the learner's timer is
   * possibly wrong.
   */
  record Wake(InputPosition at) implements LearnerEvent {}
}
