package io.idlalayer.jobs.source;

import io.idlalayer.jobs.topics.InputTopics;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Notices that the source reads no more after the wall clock was set back. Kafka's clients keep the
 * time of their next attempt by the wall clock: a consumer that was about to ask again within a
 * second, when the clock went back by a day, asks again in a day.
 *
 * <p>Looks only until the wall clock is where it was. Confined to one thread.
 */
final class StallWatch {
  /** Looks at the clock from the moment it was set back to the first question, and between two. */
  static final int LOOKS = 20;

  /** Less is the work of a time service, and costs a consumer no more than that. */
  static final long STEP_MILLIS = 2_000;

  /** How far a partition was read, now and when the present wait began. */
  private static final class Position {
    final String topic;
    final int partition;
    long next;
    long nextBefore = -1;

    /** Else it is only said that this subtask will read it. */
    boolean read;

    Position(String topic, int partition) {
      this.topic = topic;
      this.partition = partition;
    }

    boolean is(String otherTopic, int otherPartition) {
      return partition == otherPartition && topic.equals(otherTopic);
    }
  }

  private final List<Position> positions = new ArrayList<>();

  /** Most records are of the partition of the one before. */
  private @Nullable Position latest;

  private long lastMillis = Long.MIN_VALUE;
  private long highestMillis = Long.MIN_VALUE;
  private boolean setBack;
  private int looks;

  /** A record was read. */
  void read(String topic, int partition, long offset) {
    Position position = latest;
    if (position == null || !position.is(topic, partition)) {
      position = position(topic, partition);
      latest = position;
    }
    position.next = offset + 1;
    position.read = true;
  }

  /**
   * A partition that the source is going to read, as far as is known; a source may stall before it
   * has read anything.
   *
   * @param next first offset that is not read yet
   */
  void expect(String topic, int partition, long next) {
    position(topic, partition).next = next;
  }

  private Position position(String topic, int partition) {
    for (Position position : positions) {
      if (position.is(topic, partition)) {
        return position;
      }
    }
    Position position = new Position(topic, partition);
    positions.add(position);
    return position;
  }

  /**
   * Looks at the wall clock; to be called once a second by a clock that is never set.
   *
   * @return whether to ask the broker now, for {@link #stalled}
   */
  boolean look(long nowMillis) {
    if (nowMillis < lastMillis - STEP_MILLIS) {
      setBack = true;
      begin();
    } else if (setBack && nowMillis > highestMillis) {
      setBack = false;
    }
    lastMillis = nowMillis;
    highestMillis = Math.max(highestMillis, nowMillis);
    return setBack && ++looks >= LOOKS && !positions.isEmpty();
  }

  private void begin() {
    looks = 0;
    positions.forEach(position -> position.nextBefore = position.next);
  }

  /**
   * Compares what was read since the last question with what the topics hold, and begins to wait
   * anew.
   *
   * @return what is wrong, in words
   */
  Optional<String> stalled(Map<String, InputTopics.Facts> topics) {
    String stalled = null;
    boolean alive = positions.stream().anyMatch(each -> each.nextBefore != each.next);
    for (Position position : positions) {
      InputTopics.Facts facts = topics.get(position.topic);
      InputTopics.Offsets offsets =
          facts == null ? null : facts.partitions().get(position.partition);
      if (offsets != null
          && position.nextBefore == position.next
          && offsets.end() > position.next
          && (position.read || !alive)) {
        stalled =
            ("nothing of %s-%d was read for %d s since the clock was set back, although offsets %d"
                    + " to %d are there")
                .formatted(
                    position.topic, position.partition, LOOKS, position.next, offsets.end() - 1);
      }
    }
    begin();
    return Optional.ofNullable(stalled);
  }

  /** Topics of which something was read, or is going to be. */
  Set<String> topics() {
    return positions.stream().map(position -> position.topic).collect(Collectors.toSet());
  }
}
