package io.idlalayer.jobs.learner.state;

import io.idlalayer.middleware.state.StateReader;
import io.idlalayer.middleware.state.StateWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The read position of one learner in each partition of its input: after its own last record, or
 * after the last position mark. Written with the counters, before each checkpoint. Confined to one
 * thread.
 */
public final class InputPositions {
  private final SortedMap<String, Position> inputs = new TreeMap<>();

  // The partition of the previous event, because successive events often share it.
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

  /** Returns the name of a topic's partition in states, statuses and manifests. */
  public static String name(String topic, int partition) {
    return topic + "-" + partition;
  }

  /** Records that the record at an offset of a partition was read. A position never decreases. */
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

  /** Sets a partition back to an offset, because its log was cut there. */
  void cut(String topic, int partition, long end) {
    Position position = inputs.get(name(topic, partition));
    if (position != null) {
      position.next = Math.min(position.next, end);
    }
  }

  /** Returns the next offset to read in each partition, by the name of topic and partition. */
  SortedMap<String, Long> next() {
    SortedMap<String, Long> offsets = new TreeMap<>();
    inputs.forEach((name, position) -> offsets.put(name, position.next));
    return offsets;
  }

  /**
   * Writes the names of the partitions under a tag, and their next offsets in the same order under
   * the following tag.
   */
  public StateWriter put(StateWriter out, int tag) {
    List<byte[]> names = new ArrayList<>(inputs.size());
    long[] next = new long[inputs.size()];
    for (Position position : inputs.values()) {
      next[names.size()] = position.next;
      names.add(position.name);
    }
    return out.putList(tag, names).putLongs(tag + 1, next);
  }

  /** Reads positions that {@link #put(StateWriter, int)} has written. */
  static InputPositions get(StateReader in, int tag) {
    InputPositions positions = new InputPositions();
    offsets(in, tag)
        .forEach(
            (name, next) -> {
              Position position = new Position(name.getBytes(StandardCharsets.UTF_8));
              position.next = next;
              positions.inputs.put(name, position);
            });
    return positions;
  }

  /**
   * Writes given offsets by the names of their partitions, in the form of {@link #put(StateWriter,
   * int)}.
   */
  public static StateWriter put(StateWriter out, int tag, SortedMap<String, Long> offsets) {
    return out.putTexts(tag, List.copyOf(offsets.keySet()))
        .putLongs(tag + 1, offsets.values().stream().mapToLong(Long::longValue).toArray());
  }

  /**
   * Reads offsets by the names of their partitions, as {@link #put(StateWriter, int)} has written
   * them.
   */
  public static SortedMap<String, Long> offsets(StateReader in, int tag) {
    List<String> names = in.getTexts(tag);
    long[] next = in.getLongs(tag + 1);
    if (names.size() != next.length) {
      throw in.refused("it has %d inputs and %d offsets".formatted(names.size(), next.length));
    }
    SortedMap<String, Long> offsets = new TreeMap<>();
    for (int i = 0; i < next.length; i++) {
      offsets.put(names.get(i), next[i]);
    }
    return offsets;
  }
}
