package io.idlalayer.jobs.operator;

import io.idlalayer.jobs.learner.LearnerEvent;
import io.idlalayer.jobs.learner.state.InputPosition;
import io.idlalayer.jobs.source.Arrival;
import io.idlalayer.jobs.survey.Refused;
import io.idlalayer.jobs.topics.ControlRecord;
import io.idlalayer.middleware.sample.ContentHash;
import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.SampleCodec;
import java.util.List;

/**
 * Converts arrivals, as Flink transports them, to events of a learner. Confined to one thread.
 *
 * <p>Between topic and learner, the source encodes each sample once, and this class decodes it
 * once. Both steps are needed: Flink's exchange by key serializes every arrival, even within one
 * process, so the objects that the source has decoded never reach the learner. The source encodes a
 * sample in the form in which the sample store keeps it. Events of the format {@code binary}
 * already have this form and pass through unchanged, unless a table of fixed size maps their ids to
 * other keys. The operator decodes the bytes to score the sample, and the sample store keeps these
 * bytes. If the source sent the values of a sample as fields, they would be encoded twice: by
 * Flink, and for the sample store. An experiment has no exchange between source and learner, and
 * passes the sample together with its encoding.
 */
final class ArrivalEvents {
  private final SampleCodec codec = new SampleCodec();

  /**
   * Returns the learner's event for an arrival.
   *
   * @throws IllegalStateException if the record was damaged since it was decoded
   */
  LearnerEvent of(Arrival arrival) {
    InputPosition at = position(arrival);
    return switch (arrival.kind) {
      case Arrival.SAMPLE -> sample(at, arrival);
      case Arrival.MALFORMED ->
          new LearnerEvent.Malformed(at, arrival.createdAtMillis, refused(arrival));
      case Arrival.FIELDS ->
          new LearnerEvent.UndeclaredFields(at, List.of(arrival.text.split("\n")));
      case Arrival.END ->
          new LearnerEvent.EndOfInput(at, arrival.text, ControlRecord.positions(arrival.body));
      case Arrival.TRAIN ->
          new LearnerEvent.UpdateRequest(at, ControlRecord.positions(arrival.body));
      case Arrival.RETRACT ->
          new LearnerEvent.RetractionRequest(
              at, arrival.text, ControlRecord.positions(arrival.body));
      case Arrival.FORGET ->
          new LearnerEvent.RetractionRequest(
              at, arrival.text, true, ControlRecord.positions(arrival.body));
      case Arrival.EXPLAIN -> new LearnerEvent.Explain(at, arrival.text);
      case Arrival.MARK -> new LearnerEvent.PositionMark(at);
      case Arrival.REFUSED_CONTROL -> new LearnerEvent.RefusedRequest(at, arrival.text);
      case Arrival.REREAD -> new LearnerEvent.Reread(at);
      case Arrival.LOST -> new LearnerEvent.LostInput(at, arrival.until, arrival.text);
      case Arrival.WAKE -> new LearnerEvent.Wake(at);
      default -> throw new IllegalStateException("unknown kind of arrival " + arrival.kind);
    };
  }

  private static InputPosition position(Arrival arrival) {
    return new InputPosition(arrival.topic, arrival.topicPartition, arrival.offset);
  }

  private static Refused refused(Arrival arrival) {
    return Refused.of(
        arrival.text,
        position(arrival).name(),
        arrival.offset,
        arrival.origin,
        arrival.body,
        arrival.length);
  }

  private LearnerEvent sample(InputPosition at, Arrival arrival) {
    try {
      return new LearnerEvent.SampleArrived(
          at,
          arrival.createdAtMillis,
          codec.decode(arrival.body),
          new ContentHash(arrival.hashHigh, arrival.hashLow),
          arrival.body,
          arrival.length == 0
              ? LearnerEvent.RawEvent.NONE
              : new LearnerEvent.RawEvent(arrival.origin, arrival.event, arrival.length));
    } catch (MalformedSampleException damaged) {
      throw new IllegalStateException(
          "event %s-%d@%d was damaged between source and operator"
              .formatted(arrival.topic, arrival.topicPartition, arrival.offset),
          damaged);
    }
  }
}
