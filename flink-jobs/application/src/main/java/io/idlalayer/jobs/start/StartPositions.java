package io.idlalayer.jobs.start;

import java.io.Serializable;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The first offsets to read, by topic and partition, of topics whose positions no state has. A
 * topic without an entry is read from its oldest record. A partition without an entry was added
 * later and is read from offset 0. Immutable.
 */
public record StartPositions(SortedMap<String, SortedMap<Integer, Long>> byTopic)
    implements Serializable {
  private static final long serialVersionUID = 1L;
  private static final int SHOWN = 8;

  /** The positions with which all topics are read from their oldest records. */
  public static final StartPositions EARLIEST = new StartPositions(new TreeMap<>());

  public StartPositions {
    SortedMap<String, SortedMap<Integer, Long>> copy = new TreeMap<>();
    byTopic.forEach((topic, offsets) -> copy.put(topic, new TreeMap<>(offsets)));
    byTopic = copy;
  }

  /** Returns whether a topic has positions here. */
  public boolean has(String topic) {
    return byTopic.containsKey(topic);
  }

  /**
   * Returns where a partition of a topic that is read for the first time begins.
   *
   * @param beginning offset of the oldest record of the partition
   */
  public long first(String topic, int partition, long beginning) {
    SortedMap<Integer, Long> offsets = byTopic.get(topic);
    return offsets == null ? beginning : offsets.getOrDefault(partition, 0L);
  }

  /** Returns these positions and the positions of other topics. */
  public StartPositions and(StartPositions others) {
    SortedMap<String, SortedMap<Integer, Long>> all = new TreeMap<>(byTopic);
    all.putAll(others.byTopic());
    return new StartPositions(all);
  }

  /** Returns the positions for a message; of many partitions only the first ones. */
  public String text() {
    long partitions = byTopic.values().stream().mapToLong(each -> each.size()).sum();
    String shown =
        byTopic.entrySet().stream()
            .flatMap(
                topic ->
                    topic.getValue().entrySet().stream()
                        .map(
                            each ->
                                "%s-%d from offset %d"
                                    .formatted(topic.getKey(), each.getKey(), each.getValue())))
            .limit(SHOWN)
            .collect(Collectors.joining(", "));
    return partitions > SHOWN ? "%s and %d more".formatted(shown, partitions - SHOWN) : shown;
  }
}
