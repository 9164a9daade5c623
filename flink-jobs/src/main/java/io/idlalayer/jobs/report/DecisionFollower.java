package io.idlalayer.jobs.report;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.DecisionEventCodec;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.KafkaClients;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Reads the decision topics of some applications from their beginning. Confined to one thread. */
public final class DecisionFollower implements AutoCloseable {
  private static final Duration HISTORY = Duration.ofMinutes(5);

  private final KafkaConsumer<byte[], byte[]> consumer;
  private final Set<String> applications;

  /** Waits up to a minute for the broker. */
  public DecisionFollower(List<ApplicationSettings> followed, String servers) throws IOException {
    this(followed, servers, Duration.ofMinutes(1));
  }

  /**
   * Finds the topics.
   *
   * @param patience how long to wait for the broker
   * @throws IOException if it does not answer
   */
  public DecisionFollower(List<ApplicationSettings> followed, String servers, Duration patience)
      throws IOException {
    applications = followed.stream().map(ApplicationSettings::name).collect(Collectors.toSet());
    consumer =
        new KafkaConsumer<>(
            KafkaClients.consumer(followed.get(0).kafka(), servers),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer());
    Set<TopicPartition> partitions = new HashSet<>();
    try {
      for (ApplicationSettings application : followed) {
        consumer
            .partitionsFor(application.kafka().decisionsTopic(), patience)
            .forEach(info -> partitions.add(new TopicPartition(info.topic(), info.partition())));
      }
    } catch (TimeoutException silent) {
      consumer.close(CloseOptions.timeout(Duration.ZERO));
      throw new IOException(
          "no Kafka broker at %s answered within %d s; check --bootstrap-servers"
              .formatted(servers, patience.toSeconds()),
          silent);
    }
    consumer.assign(partitions);
    consumer.seekToBeginning(partitions);
  }

  /**
   * What earlier runs left in the topics, up to now.
   *
   * @throws IOException if the broker stops answering
   */
  public List<DecisionEvent> history() throws IOException {
    Map<TopicPartition, Long> ends = consumer.endOffsets(consumer.assignment());
    List<DecisionEvent> events = new ArrayList<>();
    long deadlineNanos = System.nanoTime() + HISTORY.toNanos();
    while (ends.entrySet().stream().anyMatch(e -> consumer.position(e.getKey()) < e.getValue())) {
      events.addAll(poll(Duration.ofMillis(200)));
      if (System.nanoTime() > deadlineNanos) {
        throw new IOException(
            "reading the decision topic's history took longer than " + HISTORY.toSeconds() + " s");
      }
    }
    return events;
  }

  /** Waits for events. What is no event of these applications is passed over. */
  public List<DecisionEvent> poll(Duration longest) {
    List<DecisionEvent> events = new ArrayList<>();
    for (ConsumerRecord<byte[], byte[]> record : consumer.poll(longest)) {
      DecisionEventCodec.decode(record.value())
          .filter(event -> applications.contains(event.application()))
          .ifPresent(events::add);
    }
    return events;
  }

  @Override
  public void close() {
    consumer.close();
  }
}
