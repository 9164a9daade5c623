package io.idlalayer.jobs.source;

import io.idlalayer.jobs.start.StartPositions;
import io.idlalayer.jobs.topics.InputTopics;
import io.idlalayer.middleware.state.StateFormat;
import io.idlalayer.middleware.state.StateReader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The positions up to which each partition of each topic was read. The positions tell whether the
 * next record is new, was read before, or comes after lost records. After a restore, every subtask
 * has the positions of all partitions, and updates the positions of the partitions that it reads.
 * Confined to one thread; needs no clock and no broker.
 */
final class TopicPositions {
  private static final StateFormat FORMAT = StateFormat.first("topic positions");
  private static final StateFormat TOPIC_FORMAT = StateFormat.first("topic");

  /**
   * Number of inputs, such as files, whose last record number is kept for each partition. If more
   * files are sent into one partition at the same time, a repeated record might not be recognized.
   */
  private static final int INPUTS = 4;

  private static final long NONE = -1;

  private final StartPositions starts;
  private final Map<String, Role> roles = new HashMap<>();
  private final SortedMap<String, Topic> topics = new TreeMap<>();

  // The partition of the previous record, because successive records often share it.
  private @Nullable Position lastPosition;
  private String lastTopic = "";
  private int lastPartition = -1;

  /**
   * A topic of an application, with what it is used for.
   *
   * @param application the application; the first one if several share a control topic
   */
  record Role(String topic, String application, Use use) {
    boolean control() {
      return use == Use.CONTROL;
    }

    boolean labels() {
      return use == Use.LABELS;
    }
  }

  /** The uses of a topic. */
  enum Use {
    EVENTS("input.topic"),
    LABELS("input.labels.topic"),
    CONTROL("kafka.control-topic");

    /** Key of the application file that names the topic. */
    final String key;

    Use(String key) {
      this.key = key;
    }
  }

  /** A range of offsets that were lost: {@code from} to {@code until}, exclusive. */
  record Lost(String topic, String application, int partition, long from, long until, String why) {}

  /** The ways to treat a record, by what was read before. */
  enum Verdict {
    /** The record was not read before. */
    NEW,
    /** The record was read before, and must not be learned again. */
    REREAD,
    /** The record was read before, for another learner. */
    REREAD_COPY
  }

  private static final class Topic {
    final Role role;
    String id = "";
    final SortedMap<Integer, Position> partitions = new TreeMap<>();

    Topic(Role role) {
      this.role = role;
    }
  }

  private static final class Position {
    /**
     * Counter that grows when the log was cut; a position with a higher count is later, even if its
     * offset is lower.
     */
    int generation;

    long next;
    final long[] inputs = new long[INPUTS];
    final long[] numbers = new long[INPUTS];

    /** Offset of the record that is being handled, which arrives once for each learner. */
    long current = NONE;

    boolean currentIsNew;

    boolean isBefore(Position other) {
      return generation != other.generation ? generation < other.generation : next < other.next;
    }

    boolean sentBefore(long input, long number) {
      for (int i = 0; i < INPUTS; i++) {
        if (numbers[i] > 0 && inputs[i] == input) {
          return number <= numbers[i];
        }
      }
      return false;
    }

    /**
     * Records that a record of an input was read; the input without new records for the longest
     * time is forgotten.
     */
    void sent(long input, long number) {
      int at = 0;
      while (at < INPUTS - 1 && (numbers[at] == 0 || inputs[at] != input)) {
        at++;
      }
      System.arraycopy(inputs, 0, inputs, 1, at);
      System.arraycopy(numbers, 0, numbers, 1, at);
      inputs[0] = input;
      numbers[0] = number;
    }
  }

  /**
   * @param starts first offsets of topics that no state has
   */
  TopicPositions(List<Role> read, StartPositions starts) {
    this.starts = starts;
    read.forEach(role -> roles.put(role.topic(), role));
  }

  Set<String> names() {
    return Set.copyOf(roles.keySet());
  }

  /**
   * Compares the read positions with the present contents of the topics, once, before the first
   * record.
   *
   * @return lost input, in the order of topics and partitions
   * @throws InputChangedException if a topic was replaced by another one
   */
  List<Lost> open(Map<String, InputTopics.Facts> running) {
    List<String> changes = new ArrayList<>();
    dropRenamed(changes);
    for (Role role : roles.values()) {
      InputTopics.Facts facts = running.get(role.topic());
      Topic known = topics.get(role.topic());
      if (role.control()) {
        // Requests are not input: a new control topic is read from its beginning.
        if (known != null && (facts == null || !facts.id().equals(known.id))) {
          topics.remove(role.topic());
        }
      } else if (facts == null) {
        changes.add(
            "%s of %s: %s does not exist%s"
                .formatted(
                    role.use().key,
                    role.application(),
                    role.topic(),
                    known == null ? "" : " any more; its id was " + known.id));
      } else if (known != null && !facts.id().equals(known.id)) {
        changes.add(
            "%s of %s: topic %s had the id %s and now has %s, so it was deleted and created again"
                .formatted(role.use().key, role.application(), role.topic(), known.id, facts.id()));
      }
    }
    if (!changes.isEmpty()) {
      throw new InputChangedException(changes);
    }
    List<Lost> lost = new ArrayList<>();
    for (Role role :
        roles.values().stream().sorted(java.util.Comparator.comparing(Role::topic)).toList()) {
      InputTopics.Facts facts = running.get(role.topic());
      if (facts != null) {
        lost.addAll(open(role, facts));
      }
    }
    return lost;
  }

  private void dropRenamed(List<String> changes) {
    for (Topic known : List.copyOf(topics.values())) {
      Role before = known.role;
      if (roles.containsKey(before.topic())) {
        continue;
      }
      if (before.control()) {
        topics.remove(before.topic());
        continue;
      }
      List<Role> others =
          roles.values().stream()
              .filter(role -> role.application().equals(before.application()))
              .toList();
      List<Role> alike = others.stream().filter(role -> role.use() == before.use()).toList();
      if (alike.size() == 1 && !topics.containsKey(alike.get(0).topic())) {
        changes.add(
            "%s of %s: was %s and is now %s"
                .formatted(
                    before.use().key, before.application(), before.topic(), alike.get(0).topic()));
      } else if (!alike.isEmpty()) {
        changes.add(
            "input.topics or input.topic-pattern of %s: %s was read, and now input comes from %s only"
                .formatted(
                    before.application(),
                    before.topic(),
                    alike.stream().map(Role::topic).sorted().collect(Collectors.joining(", "))));
      }
      boolean runs = others.stream().anyMatch(role -> role.use() == Use.EVENTS);
      if (runs && before.use() == Use.LABELS && others.stream().noneMatch(Role::labels)) {
        changes.add(
            "%s of %s: was %s, and no topic of labels is named now"
                .formatted(before.use().key, before.application(), before.topic()));
      }
    }
  }

  private List<Lost> open(Role role, InputTopics.Facts facts) {
    boolean first = !topics.containsKey(role.topic());
    Topic topic = topics.computeIfAbsent(role.topic(), name -> new Topic(role));
    topic.id = facts.id();
    List<Lost> lost = new ArrayList<>();
    facts
        .partitions()
        .forEach(
            (partition, offsets) -> {
              if (!topic.partitions.containsKey(partition)) {
                Position added = new Position();
                // A topic that is read for the first time begins where its application starts. In
                // a partition that was added later, everything from offset 0 on is input.
                added.next = first ? starts.first(role.topic(), partition, offsets.beginning()) : 0;
                topic.partitions.put(partition, added);
              }
              Lost gone = compare(role.topic(), partition, offsets, Long.MAX_VALUE);
              if (gone != null) {
                lost.add(gone);
              }
            });
    return lost;
  }

  /**
   * Returns whether there is a gap of offsets before a record, or the record's offset is lower than
   * expected, so that the broker must be asked for the reason. A partition that was created while
   * the job runs is input from offset 0 on.
   */
  boolean jumps(Arrival arrival) {
    Position position = find(arrival.topic, arrival.topicPartition);
    if (position == null) {
      position = new Position();
      add(arrival, position);
    }
    return arrival.offset != position.current
        // A gap of one offset between two records is the end of a transaction.
        && (arrival.offset > position.next + 1
            || (arrival.offset < position.next && position.currentIsNew))
        && !isControl(arrival.topic);
  }

  /** Returns whether a record that {@link #jumps} comes after a gap, not from before. */
  boolean isGap(Arrival arrival) {
    Position position = find(arrival.topic, arrival.topicPartition);
    return position == null || arrival.offset > position.next;
  }

  /**
   * Compares the read position of a partition with the offsets that the partition has now.
   *
   * @param before offset of the record that is about to be admitted
   * @return the lost range, or null
   */
  @Nullable Lost compare(String name, int partition, InputTopics.Offsets offsets, long before) {
    Position position = find(name, partition);
    Role role = roles.get(name);
    if (position == null || role == null) {
      return null;
    }
    Lost lost = null;
    if (offsets.end() < position.next) {
      lost = lost(role, partition, offsets.end(), position.next, "the log was cut at its end");
      position.next = offsets.end();
      position.generation++;
      // After the cut, the producer is allowed to send the lost records again.
      Arrays.fill(position.numbers, 0);
    } else if (offsets.beginning() > position.next && before > position.next) {
      long until = Math.min(before, offsets.beginning());
      lost = lost(role, partition, position.next, until, "the topic's retention removed it");
      position.next = until;
    }
    return lost == null || role.control() ? null : lost;
  }

  private static Lost lost(Role role, int partition, long from, long until, String why) {
    return new Lost(role.topic(), role.application(), partition, from, until, why);
  }

  /** Returns how to treat a record, and records that it was read. */
  Verdict admit(Arrival arrival) {
    Position position = find(arrival.topic, arrival.topicPartition);
    if (position == null) {
      position = new Position();
      add(arrival, position);
    }
    if (arrival.offset == position.current) {
      return position.currentIsNew ? Verdict.NEW : Verdict.REREAD_COPY;
    }
    position.current = arrival.offset;
    position.currentIsNew = arrival.offset >= position.next;
    if (!position.currentIsNew) {
      return Verdict.REREAD;
    }
    position.next = arrival.offset + 1;
    if (arrival.inputNumber > 0) {
      if (position.sentBefore(arrival.input, arrival.inputNumber)) {
        position.currentIsNew = false;
        return Verdict.REREAD;
      }
      position.sent(arrival.input, arrival.inputNumber);
    }
    return Verdict.NEW;
  }

  /** Adds a partition that was created while the job runs. */
  private void add(Arrival arrival, Position position) {
    Role role = roles.get(arrival.topic);
    if (role == null) {
      throw new IllegalArgumentException("topic " + arrival.topic + " is not read");
    }
    topics
        .computeIfAbsent(arrival.topic, name -> new Topic(role))
        .partitions
        .put(arrival.topicPartition, position);
  }

  /** Returns the first unread offset of each partition, by topic. */
  Map<String, SortedMap<Integer, Long>> next() {
    Map<String, SortedMap<Integer, Long>> all = new TreeMap<>();
    topics.forEach(
        (name, topic) -> {
          SortedMap<Integer, Long> offsets = new TreeMap<>();
          topic.partitions.forEach((partition, position) -> offsets.put(partition, position.next));
          all.put(name, offsets);
        });
    return all;
  }

  boolean isControl(String topic) {
    Role role = roles.get(topic);
    return role != null && role.control();
  }

  private @Nullable Position find(String name, int partition) {
    if (lastPosition == null || partition != lastPartition || !name.equals(lastTopic)) {
      Topic topic = topics.get(name);
      Position position = topic == null ? null : topic.partitions.get(partition);
      if (position == null) {
        return null;
      }
      lastPosition = position;
      lastTopic = name;
      lastPartition = partition;
    }
    return lastPosition;
  }

  byte[] snapshot() {
    return FORMAT
        .writer()
        .putList(1, topics.values().stream().map(TopicPositions::snapshot).toList())
        .bytes();
  }

  /**
   * Returns the positions in a topic as bytes. It has a column for each field: the i-th value of
   * each column belongs to the i-th partition.
   */
  private static byte[] snapshot(Topic topic) {
    List<Position> positions = List.copyOf(topic.partitions.values());
    return TOPIC_FORMAT
        .writer()
        .putText(1, topic.role.topic())
        .putText(2, topic.role.application())
        .putBoolean(3, topic.role.control())
        .putText(4, topic.id)
        .putInts(5, topic.partitions.keySet().stream().mapToInt(Integer::intValue).toArray())
        .putInts(6, positions.stream().mapToInt(each -> each.generation).toArray())
        .putLongs(7, positions.stream().mapToLong(each -> each.next).toArray())
        .putLongs(8, positions.stream().flatMapToLong(each -> Arrays.stream(each.inputs)).toArray())
        .putLongs(
            9, positions.stream().flatMapToLong(each -> Arrays.stream(each.numbers)).toArray())
        .putBoolean(10, topic.role.labels())
        .bytes();
  }

  /**
   * Adds the positions that a subtask had saved; of two positions of a partition it keeps the later
   * one.
   *
   * @throws io.idlalayer.middleware.state.UnreadableStateException if the bytes are not such a
   *     snapshot
   */
  void restore(byte[] snapshot) {
    FORMAT.reader(snapshot).getList(1).forEach(this::restoreTopic);
  }

  private void restoreTopic(byte[] snapshot) {
    StateReader in = TOPIC_FORMAT.reader(snapshot);
    int[] partitions = in.getInts(5);
    int[] generations = in.getInts(6);
    long[] next = in.getLongs(7);
    long[] inputs = in.getLongs(8);
    long[] numbers = in.getLongs(9);
    if (generations.length != partitions.length
        || next.length != partitions.length
        || inputs.length != INPUTS * partitions.length
        || numbers.length != inputs.length) {
      throw in.refused("its columns do not have one row for each partition");
    }
    // States of older jobs do not say whether a topic is one of labels.
    Use input = in.has(10) && in.getBoolean(10) ? Use.LABELS : Use.EVENTS;
    Use use = in.getBoolean(3) ? Use.CONTROL : input;
    Role role = new Role(in.getText(1), in.getText(2), use);
    Topic topic = topics.computeIfAbsent(role.topic(), name -> new Topic(role));
    topic.id = in.getText(4);
    for (int i = 0; i < partitions.length; i++) {
      Position position = new Position();
      position.generation = generations[i];
      position.next = next[i];
      System.arraycopy(inputs, INPUTS * i, position.inputs, 0, INPUTS);
      System.arraycopy(numbers, INPUTS * i, position.numbers, 0, INPUTS);
      topic.partitions.merge(
          partitions[i], position, (mine, other) -> mine.isBefore(other) ? other : mine);
    }
  }
}
