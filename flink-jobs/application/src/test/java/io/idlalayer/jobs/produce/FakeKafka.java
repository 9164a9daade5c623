package io.idlalayer.jobs.produce;

import io.idlalayer.jobs.topics.EventHeaders;
import io.idlalayer.jobs.topics.InputTopics;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/** One input topic and its inputs topic in memory, with producers that fail as they are told. */
final class FakeKafka implements InputTopics {
  private static final long serialVersionUID = 1L;

  private final transient Map<TopicPartition, List<ConsumerRecord<byte[], byte[]>>> logs =
      new HashMap<>();
  private final String topic;
  private final String inputsTopic;
  private int partitions;
  private long beginning;

  /** What becomes of the next record that is sent. */
  transient Fate fate = number -> null;

  /** Thrown by the next look at the topics. */
  transient Queue<Exception> lookFailures = new ArrayDeque<>();

  private final transient Queue<ProducerRecord<byte[], byte[]>> late = new ArrayDeque<>();

  /** Longest value that the topic takes. */
  int recordBytesMax = Integer.MAX_VALUE;

  int producersMade;

  /** Decides what becomes of a record, by its number; 0 for a note. */
  @FunctionalInterface
  interface Fate {
    /**
     * @return null if it is appended and acknowledged
     */
    @Nullable Failure of(long number);
  }

  /** Whether a record whose producer was told that it failed is in the topic. */
  enum Arrives {
    NEVER,
    NOW,
    /** While the next producer sends. */
    LATER
  }

  /**
   * A record whose producer gives it up.
   *
   * @param laterOnes number of records after it that are appended before the producer is closed
   */
  record Failure(RuntimeException reason, int laterOnes, Arrives arrives) {
    static Failure of(RuntimeException reason) {
      return new Failure(reason, 0, Arrives.NEVER);
    }

    static Failure expired(int laterOnes) {
      return new Failure(
          new TimeoutException("3600006 ms has passed since batch creation"),
          laterOnes,
          Arrives.NEVER);
    }
  }

  FakeKafka(String topic, String inputsTopic, int partitions) {
    this.topic = topic;
    this.inputsTopic = inputsTopic;
    this.partitions = partitions;
  }

  /** What was under way arrives before. */
  void addPartitions(int count) {
    while (!late.isEmpty()) {
      append(late.remove());
    }
    partitions += count;
  }

  /** What retention does: the records of all partitions before an offset are gone. */
  void removeBefore(long offset) {
    beginning = offset;
  }

  @Override
  public Map<String, Facts> look(Set<String> topics) throws java.io.IOException {
    Exception failure = lookFailures.poll();
    if (failure != null) {
      throw new java.io.IOException("cannot ask: " + failure.getMessage(), failure);
    }
    SortedMap<Integer, Offsets> offsets = new TreeMap<>();
    for (int i = 0; i < partitions; i++) {
      long end = log(new TopicPartition(topic, i)).size();
      offsets.put(i, new Offsets(Math.min(beginning, end), end));
    }
    return Map.of(topic, new Facts("id", offsets));
  }

  private List<ConsumerRecord<byte[], byte[]>> log(TopicPartition partition) {
    return logs.computeIfAbsent(partition, any -> new ArrayList<>());
  }

  /** The records that are in the topic, by their origin, as often as they are. */
  List<String> sent() {
    return IntStream.range(0, partitions)
        .mapToObj(i -> log(new TopicPartition(topic, i)))
        .flatMap(List::stream)
        .map(FakeKafka::source)
        .toList();
  }

  /** What a job learns of them: of one identity, in each partition, only what ascends. */
  List<String> learned() {
    List<String> learned = new ArrayList<>();
    for (int i = 0; i < partitions; i++) {
      Map<Long, Long> last = new HashMap<>();
      for (ConsumerRecord<byte[], byte[]> record : log(new TopicPartition(topic, i))) {
        EventHeaders.Identity identity = EventHeaders.identity(record.headers());
        if (identity != null && last.getOrDefault(identity.input(), 0L) < identity.number()) {
          last.put(identity.input(), identity.number());
          learned.add(source(record));
        }
      }
    }
    return learned;
  }

  private static String source(ConsumerRecord<byte[], byte[]> record) {
    return new String(
        record.headers().lastHeader(EventHeaders.SOURCE).value(), StandardCharsets.UTF_8);
  }

  InputProgress lastNote() {
    List<ConsumerRecord<byte[], byte[]>> notes = log(new TopicPartition(inputsTopic, 0));
    return InputProgress.decode(notes.get(notes.size() - 1).value()).orElseThrow();
  }

  Producer<byte[], byte[]> producer() {
    producersMade++;
    return new FaultyProducer();
  }

  private Cluster cluster() {
    Node node = new Node(0, "host", 1);
    Node[] nodes = {node};
    Set<PartitionInfo> infos = new HashSet<>();
    infos.add(new PartitionInfo(inputsTopic, 0, node, nodes, nodes));
    for (int i = 0; i < partitions; i++) {
      infos.add(new PartitionInfo(topic, i, node, nodes, nodes));
    }
    return new Cluster("c", List.of(node), infos, Set.of(), Set.of());
  }

  private RecordMetadata append(ProducerRecord<byte[], byte[]> record) {
    TopicPartition partition = new TopicPartition(record.topic(), record.partition());
    List<ConsumerRecord<byte[], byte[]>> log = log(partition);
    log.add(
        new ConsumerRecord<>(
            partition.topic(),
            partition.partition(),
            log.size(),
            0,
            TimestampType.CREATE_TIME,
            0,
            0,
            record.key(),
            record.value(),
            new RecordHeaders(record.headers().toArray()),
            Optional.empty()));
    return new RecordMetadata(partition, log.size() - 1, 0, 0, 0, 0);
  }

  /** Holds what it is given until it is flushed or closed, as far as it is not closed at once. */
  private final class FaultyProducer extends MockProducer<byte[], byte[]> {
    private final Queue<ProducerRecord<byte[], byte[]>> held = new ArrayDeque<>();
    private int laterOnes;

    FaultyProducer() {
      super(cluster(), false, null, new ByteArraySerializer(), new ByteArraySerializer());
    }

    @Override
    public synchronized Future<RecordMetadata> send(
        ProducerRecord<byte[], byte[]> record, Callback callback) {
      Future<RecordMetadata> written =
          super.send(
              record,
              (metadata, refused) ->
                  callback.onCompletion(refused == null ? append(record) : null, refused));
      held.add(record);
      if (record.value().length > recordBytesMax) {
        // It may be waited for.
        deliver();
      }
      return written;
    }

    private void deliver() {
      while (!held.isEmpty() && (!closed() || laterOnes > 0)) {
        ProducerRecord<byte[], byte[]> record = held.remove();
        EventHeaders.Identity identity = EventHeaders.identity(record.headers());
        Failure failure = closed() ? null : fate.of(identity == null ? 0 : identity.number());
        if (record.value().length > recordBytesMax) {
          failure = Failure.of(new RecordTooLargeException("larger than the topic takes"));
        }
        laterOnes -= closed() ? 1 : 0;
        if (failure == null) {
          completeNext();
          if (!closed() && !late.isEmpty()) {
            append(late.remove());
          }
          continue;
        }
        laterOnes = failure.laterOnes();
        switch (failure.arrives()) {
          case NOW -> append(record);
          case LATER -> late.add(record);
          case NEVER -> {}
        }
        errorNext(failure.reason());
      }
      if (closed()) {
        while (errorNext(new KafkaException("Producer is closed forcefully."))) {
          held.poll();
        }
      }
    }

    @Override
    public synchronized void flush() {
      deliver();
    }

    @Override
    public void close() {
      deliver();
      super.close(Duration.ZERO);
    }
  }

  Consumer<byte[], byte[]> consumer() {
    return new MockConsumer<>("earliest") {
      @Override
      public synchronized void assign(Collection<TopicPartition> assigned) {
        super.assign(assigned);
        for (TopicPartition partition : assigned) {
          long first = partition.topic().equals(topic) ? beginning : 0;
          updateBeginningOffsets(Map.of(partition, first));
          updateEndOffsets(Map.of(partition, (long) log(partition).size()));
          if (!partition.topic().equals(topic)) {
            log(partition).forEach(this::addRecord);
          }
        }
      }

      /** Records before a position would be left when another partition is assigned. */
      @Override
      public synchronized void seek(TopicPartition partition, long offset) {
        super.seek(partition, offset);
        log(partition).stream().filter(each -> each.offset() >= offset).forEach(this::addRecord);
      }
    };
  }
}
