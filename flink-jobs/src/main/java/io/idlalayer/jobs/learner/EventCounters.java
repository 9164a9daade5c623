package io.idlalayer.jobs.learner;

import io.idlalayer.datacontroller.selection.Selection;
import io.idlalayer.jobs.events.Status;
import java.nio.ByteBuffer;
import java.util.SortedMap;

/**
 * What came in, what became of it, and how far the input is read. Small enough to be written
 * through with every event. Confined to one thread.
 *
 * <p>Encoding, version 1, big endian: version byte; {@link #COUNTERS} longs; finished flag; {@link
 * InputPositions}.
 */
final class EventCounters {
  static final byte VERSION = 1;
  private static final int COUNTERS = 11;

  private long received;
  private long malformed;
  private long unlabeled;
  private long duplicates;
  private long revived;
  private long joined;
  private long quarantined;
  private long trainedNewSamples;
  private long updates;
  private long modelVersion;
  private long passedOver;
  private boolean finished;

  private InputPositions inputs = new InputPositions();
  private byte[] encoded = {};

  /** Counts an event of the input. */
  void received(LearnerEvent.Position at) {
    passed(at);
    received++;
    finished = false;
  }

  void malformed() {
    malformed++;
  }

  void duplicate() {
    duplicates++;
  }

  /** Events that brought no label, or whose label was taken back before it was trained. */
  void unlabeled(int events) {
    unlabeled += events;
  }

  void revived() {
    revived++;
  }

  void labelJoined() {
    joined++;
  }

  /** New samples were given up. */
  void quarantined(int samples) {
    quarantined += samples;
  }

  /** An update was accepted. */
  void accepted(Selection trained) {
    updates = trained.updateNumber();
    trainedNewSamples += trained.newIds().length;
    passedOver += trained.passedIds().length;
  }

  /** A model was published. */
  void published(long version) {
    modelVersion = version;
  }

  long receivedCount() {
    return received;
  }

  /** Accepted updates along the lineage. */
  long updates() {
    return updates;
  }

  /** Samples trained for the first time, along the lineage. */
  long trainedNewSamples() {
    return trainedNewSamples;
  }

  /** Version in service, 0 before the first. */
  long modelVersion() {
    return modelVersion;
  }

  /** Notes how far an input partition is read, by a record that is no event. */
  void passed(LearnerEvent.Position at) {
    inputs.read(at.topic(), at.partition(), at.offset());
  }

  /** Takes an input partition back to where its log was cut. */
  void cut(LearnerEvent.Position end) {
    inputs.cut(end.topic(), end.partition(), end.offset());
  }

  /** Whether the end was reached and announced. */
  boolean finished() {
    return finished;
  }

  void finish() {
    finished = true;
  }

  SortedMap<String, Long> inputOffsets() {
    return inputs.next();
  }

  Status.Samples samples(long stored, long evicted) {
    return new Status.Samples(
        received,
        malformed,
        unlabeled,
        duplicates,
        stored,
        revived,
        joined,
        evicted,
        quarantined,
        passedOver);
  }

  /**
   * Encodes into a buffer that is reused while the size stays the same; valid until the next call.
   */
  byte[] encode() {
    int size = 1 + COUNTERS * Long.BYTES + 1 + inputs.encodedBytes();
    if (encoded.length != size) {
      encoded = new byte[size];
    }
    ByteBuffer out = ByteBuffer.wrap(encoded);
    out.put(VERSION);
    out.putLong(received).putLong(malformed).putLong(unlabeled).putLong(duplicates);
    out.putLong(revived).putLong(joined).putLong(quarantined).putLong(trainedNewSamples);
    out.putLong(updates).putLong(modelVersion).putLong(passedOver);
    out.put((byte) (finished ? 1 : 0));
    inputs.write(out);
    return encoded;
  }

  /** Takes {@link #encode()} back. */
  void restore(byte[] bytes) {
    ByteBuffer in = ByteBuffer.wrap(bytes);
    StateVersions.require("event counters", VERSION, in.get());
    received = in.getLong();
    malformed = in.getLong();
    unlabeled = in.getLong();
    duplicates = in.getLong();
    revived = in.getLong();
    joined = in.getLong();
    quarantined = in.getLong();
    trainedNewSamples = in.getLong();
    updates = in.getLong();
    modelVersion = in.getLong();
    passedOver = in.getLong();
    finished = in.get() == 1;
    inputs = InputPositions.read(in);
  }
}
