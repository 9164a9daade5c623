package io.idlalayer.jobs.produce;

import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.KafkaClients;
import io.idlalayer.jobs.source.EventHeaders;
import io.idlalayer.jobs.source.InputTopics;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Finds out how far an input was sent, from the inputs topic. The input topic itself is read only
 * behind what is known, and only if a producer was killed in the middle.
 */
final class SentInputs {
  private static final Duration WAIT = Duration.ofSeconds(15);
  private static final Duration POLL = Duration.ofMillis(200);
  private static final Duration LONGEST = Duration.ofMinutes(10);

  private final ApplicationSettings application;
  private final String servers;

  SentInputs(ApplicationSettings application, String servers) {
    this.application = application;
    this.servers = servers;
  }

  /**
   * How far an input was sent; nothing, if it is new.
   *
   * @throws IOException if the broker does not answer or the input cannot be read
   */
  InputProgress progress(InputSource input, InputTopics.Facts topic) throws IOException {
    String name = application.input().topic();
    try {
      List<InputProgress> known = known(input.name(), topic.id());
      SortedSet<Long> lengths = new TreeSet<>();
      known.forEach(each -> lengths.add(each.length()));
      InputSource.Print print = input.print(lengths);
      Optional<InputProgress> same =
          known.stream()
              .filter(each -> each.digest().equals(print.beginnings().get(each.length())))
              .max(Comparator.comparingLong(InputProgress::length));
      if (same.isEmpty()) {
        List<Long> ends =
            topic.partitions().values().stream().map(InputTopics.Offsets::end).toList();
        return InputProgress.none(application.name(), name, topic.id(), input, ends).of(print);
      }
      InputProgress before = same.get();
      return (before.open() ? look(before, topic) : before).of(print);
    } catch (KafkaException refused) {
      throw new IOException(
          "cannot read how far %s was sent to topic %s at %s: %s"
              .formatted(input.name(), name, servers, refused.getMessage()),
          refused);
    }
  }

  /** What was sent under this name to this very topic; the last word on each. */
  private List<InputProgress> known(String name, String topicId) throws IOException {
    Map<String, InputProgress> byId = new LinkedHashMap<>();
    TopicPartition inputs = new TopicPartition(application.kafka().inputsTopic(), 0);
    try (KafkaConsumer<byte[], byte[]> consumer = consumer()) {
      consumer.assign(List.of(inputs));
      consumer.seekToBeginning(List.of(inputs));
      long end = consumer.endOffsets(List.of(inputs), WAIT).getOrDefault(inputs, 0L);
      long deadlineNanos = System.nanoTime() + LONGEST.toNanos();
      while (consumer.position(inputs, WAIT) < end) {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
          InputProgress.decode(record.value())
              .filter(each -> each.application().equals(application.name()))
              .filter(each -> each.name().equals(name) && each.topicId().equals(topicId))
              .ifPresent(each -> byId.put(each.id(), each));
        }
        checkTime(deadlineNanos, inputs);
      }
    }
    return new ArrayList<>(byId.values());
  }

  /** Looks behind what a killed producer had noted for what else it had sent. */
  private InputProgress look(InputProgress before, InputTopics.Facts topic) throws IOException {
    long input = EventHeaders.inputNumber(before.id());
    long[] sent = before.sent().stream().mapToLong(Long::longValue).toArray();
    long[] next = before.next().stream().mapToLong(Long::longValue).toArray();
    try (KafkaConsumer<byte[], byte[]> consumer = consumer()) {
      long deadlineNanos = System.nanoTime() + LONGEST.toNanos();
      for (int i = 0; i < sent.length; i++) {
        InputTopics.Offsets offsets = topic.partitions().get(i);
        if (offsets == null || next[i] >= offsets.end()) {
          continue;
        }
        TopicPartition partition = new TopicPartition(application.input().topic(), i);
        consumer.assign(List.of(partition));
        consumer.seek(partition, Math.max(next[i], offsets.beginning()));
        while (consumer.position(partition, WAIT) < offsets.end()) {
          for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
            EventHeaders.Identity identity = EventHeaders.identity(record.headers());
            if (identity != null && identity.input() == input && identity.number() > sent[i]) {
              sent[i] = identity.number();
              next[i] = record.offset() + 1;
            }
          }
          checkTime(deadlineNanos, partition);
        }
      }
    }
    return before.reached(before.base(), sent, next, true);
  }

  private static void checkTime(long deadlineNanos, TopicPartition partition) throws IOException {
    if (System.nanoTime() > deadlineNanos) {
      throw new IOException(
          "reading %s took longer than %d minutes; try again when the broker is less busy"
              .formatted(partition, LONGEST.toMinutes()));
    }
  }

  /** Sees everything: what is looked for is in no transaction, and may lie behind an open one. */
  private KafkaConsumer<byte[], byte[]> consumer() {
    Map<String, Object> properties = KafkaClients.consumer(application.kafka(), servers);
    properties.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_uncommitted");
    return new KafkaConsumer<>(
        properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }

  static byte[] key(InputProgress progress) {
    return progress.id().getBytes(StandardCharsets.UTF_8);
  }
}
