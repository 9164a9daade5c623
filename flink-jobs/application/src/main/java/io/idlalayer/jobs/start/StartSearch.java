package io.idlalayer.jobs.start;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Finds the offsets for which a start in the application file stands. They are found once, before a
 * job is submitted, and are part of the job. So a job that fails before its first checkpoint begins
 * at the same offsets again, and no event is left out.
 */
public final class StartSearch {
  private final PartitionOffsets broker;
  private final List<String> problems = new ArrayList<>();

  public StartSearch(PartitionOffsets broker) {
    this.broker = broker;
  }

  /**
   * Returns the first offsets to read of a topic, or no positions if it is read from its oldest
   * record. Problems are added to {@link #problems()}.
   *
   * @param key key of the application file that says where to start, for messages
   * @throws IOException if the broker does not answer
   */
  public StartPositions find(String key, String topic, StartAt start)
      throws IOException, InterruptedException {
    if (start.equals(StartAt.EARLIEST)) {
      return StartPositions.EARLIEST;
    }
    // The end is read before the times, so that a record that comes between the two requests is not
    // left out.
    SortedMap<Integer, PartitionOffsets.Bounds> bounds = broker.bounds(topic);
    SortedMap<Integer, Long> offsets = new TreeMap<>();
    if (start instanceof StartAt.Offsets given) {
      offsets.putAll(given.of(topic));
      check(key + ".offsets", topic, offsets, bounds);
    } else if (start instanceof StartAt.Time time) {
      Map<Integer, Long> since = broker.since(topic, time.instant().toEpochMilli());
      bounds.forEach(
          (partition, each) ->
              offsets.put(partition, since.getOrDefault(partition, each.readable())));
    } else {
      bounds.forEach((partition, each) -> offsets.put(partition, each.readable()));
    }
    return new StartPositions(new TreeMap<>(Map.of(topic, offsets)));
  }

  private void check(
      String key,
      String topic,
      SortedMap<Integer, Long> given,
      SortedMap<Integer, PartitionOffsets.Bounds> bounds) {
    List<Integer> missing =
        bounds.keySet().stream().filter(partition -> !given.containsKey(partition)).toList();
    if (!missing.isEmpty()) {
      problems.add(
          "%s: topic %s has %d partitions, and those without an offset are %s: give one for each, such as %d, the oldest that %s-%d has"
              .formatted(
                  key,
                  topic,
                  bounds.size(),
                  missing,
                  beginning(bounds, missing.get(0)),
                  topic,
                  missing.get(0)));
    }
    given.forEach(
        (partition, offset) -> {
          PartitionOffsets.Bounds each = bounds.get(partition);
          if (each == null) {
            problems.add(
                "%s: topic %s has no partition %d, but %d partitions from 0"
                    .formatted(key, topic, partition, bounds.size()));
          } else if (offset < each.beginning()) {
            problems.add(
                "%s: %d is below %d, the oldest offset that %s-%d still has: the records in between are gone; say %d to read all that is left"
                    .formatted(key, offset, each.beginning(), topic, partition, each.beginning()));
          } else if (offset > each.end()) {
            problems.add(
                "%s: %d is above %d, the end of %s-%d: say %d to read what comes from now on"
                    .formatted(key, offset, each.end(), topic, partition, each.end()));
          }
        });
  }

  private static long beginning(SortedMap<Integer, PartitionOffsets.Bounds> bounds, int partition) {
    return Objects.requireNonNull(bounds.get(partition)).beginning();
  }

  /** Returns all problems of the starts so far, with their keys. */
  public List<String> problems() {
    return List.copyOf(problems);
  }
}
