package io.idlalayer.jobs.operator;

import io.idlalayer.jobs.events.Status;
import java.nio.ByteBuffer;
import java.util.SortedMap;

/**
 * The books of one learner: what came in, what became of it, how far the input is read. Small
 * enough to be written through with every event. Confined to one thread.
 *
 * <p>Encoding, version 3, big endian: version byte; {@link #COUNTERS} longs; finished flag; {@link
 * InputPositions}.
 */
final class Ledger {
  static final byte VERSION = 3;
  private static final int COUNTERS = 11;

  long received;
  long malformed;
  long unlabeled;
  long duplicates;
  long revived;
  long joined;
  long quarantined;
  long trainedNewSamples;
  long updates;
  long modelVersion;
  long passedOver;
  private boolean finished;

  private InputPositions inputs = new InputPositions();
  private byte[] encoded = {};

  /** Books one record of an input partition. */
  void read(String topic, int partition, long offset) {
    inputs.read(topic, partition, offset);
    finished = false;
  }

  /** Notes how far an input partition is read, by a record that is no event. */
  void passed(String topic, int partition, long offset) {
    inputs.read(topic, partition, offset);
  }

  /** Takes an input partition back to where its log was cut. */
  void cut(String topic, int partition, long end) {
    inputs.cut(topic, partition, end);
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

  /** Reads {@link #encode()}. */
  static Ledger decode(byte[] bytes) {
    ByteBuffer in = ByteBuffer.wrap(bytes);
    StateVersions.require("ledger", VERSION, in.get());
    Ledger ledger = new Ledger();
    ledger.received = in.getLong();
    ledger.malformed = in.getLong();
    ledger.unlabeled = in.getLong();
    ledger.duplicates = in.getLong();
    ledger.revived = in.getLong();
    ledger.joined = in.getLong();
    ledger.quarantined = in.getLong();
    ledger.trainedNewSamples = in.getLong();
    ledger.updates = in.getLong();
    ledger.modelVersion = in.getLong();
    ledger.passedOver = in.getLong();
    ledger.finished = in.get() == 1;
    ledger.inputs = InputPositions.read(in);
    return ledger;
  }
}
