package io.idlalayer.jobs.produce;

import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.KafkaClients;
import io.idlalayer.jobs.topics.EventHeaders;
import io.idlalayer.jobs.topics.InputTopics;
import io.idlalayer.middleware.models.kafka.bounds.BoundedConsumer;
import io.idlalayer.middleware.models.kafka.bounds.UnpackLimits;
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
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;

/**
 * Finds out from the inputs topic how far an input was sent. The input topic itself is read only if
 * a producer was killed or failed, and only after the known records.
 */
final class SentInputs {
  private static final Duration WAIT = Duration.ofSeconds(15);
  private static final Duration POLL = Duration.ofMillis(200);
  private static final Duration LONGEST = Duration.ofMinutes(10);

  private final ApplicationSettings application;
  private final String servers;
  private final Supplier<Consumer<byte[], byte[]>> consumers;

  SentInputs(ApplicationSettings application, String servers) {
    this(application, servers, () -> consumer(application, servers));
  }

  /**
   * @param consumers creates a new consumer each time; it is closed after use
   */
  SentInputs(
      ApplicationSettings application,
      String servers,
      Supplier<Consumer<byte[], byte[]>> consumers) {
    this.application = application;
    this.servers = servers;
    this.consumers = consumers;
  }

  /**
   * Returns which records of an input are in the topic; none if the input is new.
   *
   * @throws IOException if the broker does not answer or the input cannot be read
   */
  SentRecords find(InputSource input, InputTopics.Facts topic) throws IOException {
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
        return new SentRecords(
            InputProgress.none(application.name(), name, topic.id(), input, ends).of(print));
      }
      InputProgress before = same.get().of(print);
      return before.open() ? look(before, topic) : new SentRecords(before);
    } catch (InterruptException stopped) {
      throw stopped;
    } catch (KafkaException refused) {
      throw unreadable(input.name(), refused);
    }
  }

  /**
   * Reads the input topic after the records whose sending was noted, to find further records that a
   * killed or failed producer has sent without noting them.
   *
   * @throws IOException if the broker does not answer, or the topic was replaced
   */
  SentRecords look(InputProgress before, InputTopics.Facts topic) throws IOException {
    if (!topic.id().equals(before.topicId())) {
      throw new IOException(
          "topic %s had the id %s and now has %s: it was deleted and created again while %s was sent"
              .formatted(before.topic(), before.topicId(), topic.id(), before.name()));
    }
    SentRecords records = new SentRecords(before);
    try (Consumer<byte[], byte[]> consumer = consumers.get()) {
      long deadlineNanos = System.nanoTime() + LONGEST.toNanos();
      for (int i = 0; i < before.partitions(); i++) {
        InputTopics.Offsets offsets = topic.partitions().get(i);
        long next = before.next().get(i);
        if (offsets == null || next >= offsets.end()) {
          continue;
        }
        boolean cut = offsets.beginning() > next;
        TopicPartition partition = new TopicPartition(application.input().topic(), i);
        consumer.assign(List.of(partition));
        consumer.seek(partition, Math.max(next, offsets.beginning()));
        while (consumer.position(partition, WAIT) < offsets.end()) {
          for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
            EventHeaders.Identity identity = EventHeaders.identity(record.headers());
            if (identity != null && records.found(i, identity, record.offset(), cut)) {
              cut = false;
            }
          }
          checkTime(deadlineNanos, partition);
        }
      }
    } catch (InterruptException stopped) {
      throw stopped;
    } catch (KafkaException refused) {
      throw unreadable(before.name(), refused);
    }
    return records;
  }

  private IOException unreadable(String input, KafkaException refused) {
    return new IOException(
        "cannot find out how much of %s was sent to topic %s at %s: %s"
            .formatted(input, application.input().topic(), servers, refused.getMessage()),
        refused);
  }

  /** Returns the latest progress of each input that was sent under this name to this very topic. */
  private List<InputProgress> known(String name, String topicId) throws IOException {
    Map<String, InputProgress> byId = new LinkedHashMap<>();
    TopicPartition inputs = new TopicPartition(application.kafka().inputsTopic(), 0);
    try (Consumer<byte[], byte[]> consumer = consumers.get()) {
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

  private static void checkTime(long deadlineNanos, TopicPartition partition) throws IOException {
    if (System.nanoTime() > deadlineNanos) {
      throw new IOException(
          "reading %s took longer than %d minutes; try again when the broker is less busy"
              .formatted(partition, LONGEST.toMinutes()));
    }
  }

  /**
   * Creates a consumer that also sees records of open transactions, because the searched records
   * are in no transaction and can come after an open transaction.
   */
  private static Consumer<byte[], byte[]> consumer(
      ApplicationSettings application, String servers) {
    Map<String, Object> properties = KafkaClients.consumer(application.kafka(), servers);
    properties.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_uncommitted");
    int recordBytes = (int) Math.min(Integer.MAX_VALUE, KafkaClients.recordBytes(application));
    return new BoundedConsumer(properties, UnpackLimits.ofRecords(recordBytes));
  }

  static byte[] key(InputProgress progress) {
    return progress.id().getBytes(StandardCharsets.UTF_8);
  }
}
