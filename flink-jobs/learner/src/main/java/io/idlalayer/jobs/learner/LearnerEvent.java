package io.idlalayer.jobs.learner;

import io.idlalayer.jobs.learner.state.InputPosition;
import io.idlalayer.middleware.sample.ContentHash;
import io.idlalayer.middleware.sample.Sample;
import java.util.SortedMap;

/** What reaches a learner from its topics. Every event says which record it came from. */
public sealed interface LearnerEvent {
  /** Where the record is. */
  InputPosition at();

  /** A record of the input topic that counts as an event. */
  sealed interface Input extends LearnerEvent {
    /** When the record was written to the topic, epoch milliseconds; 0 if unknown. */
    long createdAtMillis();
  }

  /**
   * A sample.
   *
   * @param hash hash of its content
   * @param payload its encoding, which the store keeps as it is
   */
  record SampleArrived(
      InputPosition at, long createdAtMillis, Sample sample, ContentHash hash, byte[] payload)
      implements Input {}

  /** An event that could not be decoded; it is in the dead letters. */
  record Malformed(InputPosition at, long createdAtMillis) implements Input {}

  /** A request that is carried out when the input is read up to given offsets. */
  sealed interface Request extends LearnerEvent {
    /** Next offset by partition of the input topic that must be reached before; empty for now. */
    SortedMap<Integer, Long> after();
  }

  /**
   * An input has ended: everything before it is to be learned and published.
   *
   * @param id what the end is called in the learner's status
   */
  record EndOfInput(InputPosition at, String id, SortedMap<Integer, Long> after)
      implements Request {}

  /** A request for an update of the waiting samples. */
  record UpdateRequest(InputPosition at, SortedMap<Integer, Long> after) implements Request {}

  /**
   * A label is taken back.
   *
   * @param eventId the event's own id
   */
  record RetractionRequest(InputPosition at, String eventId, SortedMap<Integer, Long> after)
      implements Request {}

  /**
   * A question why a sample has its stage.
   *
   * @param sampleId the id of the sample's event, or {@code #} and the sample's number
   */
  record Explain(InputPosition at, String sampleId) implements LearnerEvent {}

  /** How far a partition is read, and nothing else. */
  record PositionMark(InputPosition at) implements LearnerEvent {}

  /** A record on a control topic that is no request; it is in the dead letters. */
  record RefusedRequest(InputPosition at, String reason) implements LearnerEvent {}

  /** A record that was learned before and came again. */
  record Reread(InputPosition at) implements LearnerEvent {}

  /**
   * Input that was gone before it was read.
   *
   * @param at the first lost record
   * @param until offset behind the last lost record
   */
  record LostInput(InputPosition at, long until, String reason) implements LearnerEvent {}

  /** Nothing happened, but the learner's timer may be wrong: the wall clock was set back. */
  record Wake(InputPosition at) implements LearnerEvent {}
}
