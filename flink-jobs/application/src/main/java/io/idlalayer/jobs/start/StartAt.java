package io.idlalayer.jobs.start;

import io.idlalayer.middleware.sample.text.NumberNotation;
import io.idlalayer.middleware.sample.text.Timestamps;
import java.io.Serializable;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The place in the application file at which reading of a topic begins the first time. If the state
 * of a job has positions of the topic, reading continues there instead. Immutable.
 */
public sealed interface StartAt extends Serializable {
  /** The oldest record that the topic still has. */
  StartAt EARLIEST = new Edge(false);

  /** The end of the topic at the time of the start, so that only later records are read. */
  StartAt LATEST = new Edge(true);

  /**
   * One of the two ends of each partition.
   *
   * @param newest true for the end after the newest record, false for the oldest record
   */
  record Edge(boolean newest) implements StartAt {
    private static final long serialVersionUID = 1L;

    @Override
    public String text() {
      return newest ? "latest" : "earliest";
    }
  }

  /**
   * The first record of each partition whose time is not before an instant; the end of a partition
   * without such a record.
   *
   * @param instant compared with the times of the records, in milliseconds
   */
  record Time(Instant instant) implements StartAt {
    private static final long serialVersionUID = 1L;

    @Override
    public String text() {
      return instant.toString();
    }
  }

  /**
   * A given offset in each partition.
   *
   * @param byTopic offsets, at least 0, by the names of topics and the numbers of their partitions
   */
  record Offsets(SortedMap<String, SortedMap<Integer, Long>> byTopic) implements StartAt {
    private static final long serialVersionUID = 1L;

    public Offsets {
      SortedMap<String, SortedMap<Integer, Long>> copy = new TreeMap<>();
      byTopic.forEach((topic, offsets) -> copy.put(topic, new TreeMap<>(offsets)));
      byTopic = copy;
    }

    /** Returns the offsets in the partitions of a topic; empty if none are given. */
    SortedMap<Integer, Long> of(String topic) {
      return new TreeMap<>(byTopic.getOrDefault(topic, Collections.emptySortedMap()));
    }

    @Override
    public String text() {
      return byTopic.entrySet().stream()
          .flatMap(
              topic ->
                  topic.getValue().entrySet().stream()
                      .map(
                          each ->
                              "%s-%d: %d"
                                  .formatted(topic.getKey(), each.getKey(), each.getValue())))
          .collect(Collectors.joining(", ", "offsets {", "}"));
    }
  }

  /** Returns the start in the form of the application file; equal starts have equal texts. */
  String text();

  /**
   * Parses a start that is not a list of offsets: {@code earliest}, {@code latest} or a time in one
   * of the notations of {@link Timestamps}.
   *
   * @throws IllegalArgumentException with a message that continues after the value
   */
  static StartAt parse(String text) {
    if (text.equals(EARLIEST.text())) {
      return EARLIEST;
    }
    if (text.equals(LATEST.text())) {
      return LATEST;
    }
    Instant instant;
    try {
      instant = Timestamps.read(text).toInstant();
    } catch (DateTimeException noTime) {
      throw new IllegalArgumentException(
          "is neither earliest nor latest nor a time such as 2026-03-05T10:00:00Z", noTime);
    }
    // A small number was probably meant as an offset for all partitions.
    if (NumberNotation.PLAIN.plain(text.strip()) != null && instant.isBefore(FIRST_NUMBER)) {
      throw new IllegalArgumentException(
          "would be a time before 2000; offsets are given by partition, such as {offsets: {0: 100}}");
    }
    return new Time(instant);
  }

  /** Earliest time that can be written as a number. */
  Instant FIRST_NUMBER = Instant.parse("2000-01-01T00:00:00Z");
}
