package io.idlalayer.jobs.cli.letters;

import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.KafkaClients;
import io.idlalayer.jobs.topics.DeadLetterHeaders;
import io.idlalayer.middleware.models.kafka.bounds.BoundedConsumer;
import io.idlalayer.middleware.models.kafka.bounds.UnpackLimits;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/** Reads dead letters from a broker. */
final class BrokerLetters {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Duration POLL = Duration.ofMillis(200);

  private BrokerLetters() {}

  /**
   * Reads all dead letters that are on an application's topic now.
   *
   * @throws IOException if the broker does not answer, or there is no such topic
   */
  static void read(ApplicationSettings application, String servers, LetterFold fold)
      throws IOException {
    String topic = application.kafka().deadLettersTopic();
    try (KafkaConsumer<byte[], byte[]> consumer =
        new BoundedConsumer(
            KafkaClients.consumer(application.kafka(), servers), UnpackLimits.OWN_TOPICS)) {
      List<TopicPartition> partitions =
          consumer.partitionsFor(topic, PATIENCE).stream()
              .map(info -> new TopicPartition(info.topic(), info.partition()))
              .toList();
      if (partitions.isEmpty()) {
        throw new IOException(
            "there is no topic %s at %s; has the job been started?".formatted(topic, servers));
      }
      Map<TopicPartition, Long> ends = consumer.endOffsets(partitions, PATIENCE);
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      read(consumer, ends, fold);
    } catch (KafkaException refused) {
      throw new IOException(
          "the topic %s cannot be read at %s: %s".formatted(topic, servers, refused.getMessage()),
          refused);
    }
  }

  private static void read(
      KafkaConsumer<byte[], byte[]> consumer, Map<TopicPartition, Long> ends, LetterFold fold)
      throws IOException {
    long progressNanos = System.nanoTime();
    while (ends.entrySet().stream()
        .anyMatch(end -> consumer.position(end.getKey(), PATIENCE) < end.getValue())) {
      boolean any = false;
      for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
        any = true;
        fold.add(DeadLetterHeaders.read(record), record.timestamp());
      }
      if (any) {
        progressNanos = System.nanoTime();
      } else if (System.nanoTime() - progressNanos > PATIENCE.toNanos()) {
        throw new IOException(
            String.format(
                Locale.ROOT,
                "the broker sent nothing for %d s; %,d dead letters were read",
                PATIENCE.toSeconds(),
                fold.count()));
      }
    }
  }
}
