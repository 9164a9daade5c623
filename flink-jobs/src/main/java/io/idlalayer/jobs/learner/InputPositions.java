package io.idlalayer.jobs.learner;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * How far one learner has seen each partition of its input: behind its own last record, or behind
 * the last position mark. Written with every event, so it is small. Confined to one thread.
 */
final class InputPositions {
  private final SortedMap<String, Position> inputs = new TreeMap<>();

  // The partition of the event before, as they come in runs.
  private @Nullable Position last;
  private String lastTopic = "";
  private int lastPartition = -1;

  private static final class Position {
    final byte[] name;
    long next;

    Position(byte[] name) {
      this.name = name;
    }
  }

  /** What a partition of a topic is called in states, statuses and manifests. */
  static String name(String topic, int partition) {
    return topic + "-" + partition;
  }

  /** Notes a record of a partition. A position never goes back. */
  void read(String topic, int partition, long offset) {
    Position position = last;
    if (position == null || partition != lastPartition || !topic.equals(lastTopic)) {
      position =
          inputs.computeIfAbsent(
              name(topic, partition), name -> new Position(name.getBytes(StandardCharsets.UTF_8)));
      last = position;
      lastTopic = topic;
      lastPartition = partition;
    }
    position.next = Math.max(position.next, offset + 1);
  }

  /** Takes a partition back to an offset, because its log was cut there. */
  void cut(String topic, int partition, long end) {
    Position position = inputs.get(name(topic, partition));
    if (position != null) {
      position.next = Math.min(position.next, end);
    }
  }

  /** Next offset to read, by topic and partition. */
  SortedMap<String, Long> next() {
    SortedMap<String, Long> offsets = new TreeMap<>();
    inputs.forEach((name, position) -> offsets.put(name, position.next));
    return offsets;
  }

  int encodedBytes() {
    int size = Integer.BYTES;
    for (Position position : inputs.values()) {
      size += Short.BYTES + position.name.length + Long.BYTES;
    }
    return size;
  }

  /** Number of inputs; for each the UTF-8 name (short length) and the next offset. */
  void write(ByteBuffer out) {
    out.putInt(inputs.size());
    for (Position position : inputs.values()) {
      out.putShort((short) position.name.length).put(position.name).putLong(position.next);
    }
  }

  /** Reads {@link #write}. */
  static InputPositions read(ByteBuffer in) {
    InputPositions positions = new InputPositions();
    for (int i = in.getInt(); i > 0; i--) {
      byte[] name = new byte[in.getShort()];
      in.get(name);
      Position position = new Position(name);
      position.next = in.getLong();
      positions.inputs.put(new String(name, StandardCharsets.UTF_8), position);
    }
    return positions;
  }
}
