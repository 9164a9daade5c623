package io.idlalayer.jobs.operator;

import io.idlalayer.jobs.events.Status;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The books of one learner: what came in, what became of it, how far the input is read. Small
 * enough to be written through with every event. Confined to one thread.
 *
 * <p>Encoding, version 2, big endian: version byte; {@link #COUNTERS} longs; ended flag; number of
 * inputs; for each input the UTF-8 name (short length), next offset, end offset (-1: not ended).
 * Version 1 had no passed over samples, the last of the counters.
 */
final class Ledger {
  static final byte VERSION = 2;
  private static final byte WITHOUT_PASSED = 1;
  private static final int COUNTERS = 11;
  private static final long NOT_ENDED = -1;

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
  private int inputPartitions;
  private boolean finished;

  private final SortedMap<String, Position> inputs = new TreeMap<>();
  private byte[] encoded = {};

  private static final class Position {
    final byte[] name;
    long next;
    long end = NOT_ENDED;

    Position(byte[] name) {
      this.name = name;
    }
  }

  /** Books one record of an input partition. Data after an end marker reopens that partition. */
  void read(String topic, int partition, long offset) {
    Position position = position(topic, partition);
    position.next = offset + 1;
    position.end = NOT_ENDED;
    finished = false;
  }

  /**
   * Books an end marker.
   *
   * @param partitions how many partitions the ended topic has
   */
  void ended(String topic, int partition, long offset, int partitions) {
    Position position = position(topic, partition);
    position.next = offset + 1;
    position.end = offset;
    inputPartitions = partitions;
  }

  private Position position(String topic, int partition) {
    String name = topic + "-" + partition;
    Position position = inputs.get(name);
    if (position == null) {
      position = new Position(name.getBytes(StandardCharsets.UTF_8));
      inputs.put(name, position);
    }
    return position;
  }

  /** Whether every input partition has ended. */
  boolean allEnded() {
    return inputPartitions > 0
        && inputs.values().stream().filter(input -> input.end != NOT_ENDED).count()
            >= inputPartitions;
  }

  /** Whether the end was reached and announced. */
  boolean finished() {
    return finished;
  }

  void finish() {
    finished = true;
  }

  SortedMap<String, Long> inputOffsets() {
    SortedMap<String, Long> offsets = new TreeMap<>();
    inputs.forEach((name, position) -> offsets.put(name, position.next));
    return offsets;
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
    int size = 1 + COUNTERS * 8 + 1 + 4 + 4;
    for (Position position : inputs.values()) {
      size += 2 + position.name.length + 16;
    }
    if (encoded.length != size) {
      encoded = new byte[size];
    }
    ByteBuffer out = ByteBuffer.wrap(encoded);
    out.put(VERSION);
    out.putLong(received).putLong(malformed).putLong(unlabeled).putLong(duplicates);
    out.putLong(revived).putLong(joined).putLong(quarantined).putLong(trainedNewSamples);
    out.putLong(updates).putLong(modelVersion).putLong(passedOver);
    out.put((byte) (finished ? 1 : 0)).putInt(inputPartitions).putInt(inputs.size());
    for (Map.Entry<String, Position> entry : inputs.entrySet()) {
      Position position = entry.getValue();
      out.putShort((short) position.name.length).put(position.name);
      out.putLong(position.next).putLong(position.end);
    }
    return encoded;
  }

  /** Reads {@link #encode()}. */
  static Ledger decode(byte[] bytes) {
    ByteBuffer in = ByteBuffer.wrap(bytes);
    byte version = StateVersions.require("ledger", WITHOUT_PASSED, VERSION, in.get());
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
    ledger.passedOver = version == WITHOUT_PASSED ? 0 : in.getLong();
    ledger.finished = in.get() == 1;
    ledger.inputPartitions = in.getInt();
    int count = in.getInt();
    for (int i = 0; i < count; i++) {
      byte[] name = new byte[in.getShort()];
      in.get(name);
      Position position = new Position(name);
      position.next = in.getLong();
      position.end = in.getLong();
      ledger.inputs.put(new String(name, StandardCharsets.UTF_8), position);
    }
    return ledger;
  }
}
