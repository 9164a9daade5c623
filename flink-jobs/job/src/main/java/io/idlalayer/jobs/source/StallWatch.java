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
 * Notices when the Kafka source has stalled because the wall clock was set back. Kafka's clients
 * schedule their next attempt by the wall clock: if the clock goes back by a day, a consumer that
 * was about to fetch within a second fetches a day later.
 *
 * <p>The watch checks only until the wall clock has caught up. Confined to one thread.
 */
final class StallWatch {
  /**
   * Number of checks before the first comparison with the topics, counted from the moment when the
   * clock was set back. It is also the number of checks between two comparisons.
   */
  static final int LOOKS = 20;

  /**
   * Smallest step back of the wall clock that counts, in milliseconds. Time services make smaller
   * steps. A smaller step delays a consumer by less than this time.
   */
  static final long STEP_MILLIS = 2_000;

  /** The read position of a partition, now and when the watch last compared it with the topic. */
  private static final class Position {
    final String topic;
    final int partition;
    long next;
    long nextBefore = -1;

    /**
     * Whether this subtask has read the partition. If not, it is only expected to read the
     * partition.
     */
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

  /**
   * Position of the partition of the last record. Most records come from the same partition as the
   * record before, so this saves a search.
   */
  private @Nullable Position latest;

  private long lastMillis = Long.MIN_VALUE;
  private long highestMillis = Long.MIN_VALUE;
  private boolean setBack;
  private int looks;

  /** Records that the source has read the record at an offset. */
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
   * Records that the source is expected to read a partition, because a source can stall before it
   * has read anything.
   *
   * @param next the first unread offset
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
   * Checks whether the wall clock was set back. The caller calls this method once a second, timed
   * by a monotonic clock.
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
   * Checks whether a partition has unread records although nothing of it was read since the last
   * comparison. The wait for the next comparison then begins.
   *
   * @return a sentence about a stall; empty if there is none
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

  /** Returns the topics that were read or are expected to be read. */
  Set<String> topics() {
    return positions.stream().map(position -> position.topic).collect(Collectors.toSet());
  }
}
