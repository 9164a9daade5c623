package io.idlalayer.jobs.topics;

import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.KafkaClients;
import io.idlalayer.middleware.models.kafka.bounds.BoundedConsumer;
import io.idlalayer.middleware.models.kafka.bounds.UnpackLimits;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/** Reads the records that a topic has now, from the beginning of each partition. */
public final class TopicScan {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Duration POLL = Duration.ofMillis(200);
  private static final int RECORD_BYTES_MAX = 1 << 20;

  private TopicScan() {}

  /**
   * Reads records until no more are wanted, or until all records that the topic had at the start
   * are read.
   *
   * @param client properties of the Kafka client
   * @param takes receives a record and returns whether to continue
   * @throws IOException if the broker does not answer, or there is no such topic
   */
  public static void read(
      Map<String, Object> client, String topic, Predicate<ConsumerRecord<byte[], byte[]>> takes)
      throws IOException {
    String servers = String.valueOf(client.get(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG));
    Map<String, String> properties =
        client.entrySet().stream()
            .collect(Collectors.toMap(Map.Entry::getKey, it -> String.valueOf(it.getValue())));
    ApplicationSettings.Kafka kafka = new ApplicationSettings.Kafka("", new TreeMap<>(properties));
    try (KafkaConsumer<byte[], byte[]> consumer =
        new BoundedConsumer(
            KafkaClients.inputConsumer(kafka, servers), UnpackLimits.ofRecords(RECORD_BYTES_MAX))) {
      List<TopicPartition> partitions =
          consumer.partitionsFor(topic, PATIENCE).stream()
              .map(info -> new TopicPartition(info.topic(), info.partition()))
              .toList();
      if (partitions.isEmpty()) {
        throw new IOException("there is no topic %s at %s".formatted(topic, servers));
      }
      Map<TopicPartition, Long> ends = consumer.endOffsets(partitions, PATIENCE);
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      read(consumer, ends, takes);
    } catch (KafkaException refused) {
      throw new IOException(
          "the topic %s cannot be read at %s: %s".formatted(topic, servers, refused.getMessage()),
          refused);
    }
  }

  private static void read(
      KafkaConsumer<byte[], byte[]> consumer,
      Map<TopicPartition, Long> ends,
      Predicate<ConsumerRecord<byte[], byte[]>> takes)
      throws IOException {
    long progressNanos = System.nanoTime();
    long read = -1;
    while (true) {
      boolean ended = true;
      long sum = 0;
      for (Map.Entry<TopicPartition, Long> end : ends.entrySet()) {
        long position = consumer.position(end.getKey(), PATIENCE);
        ended &= position >= end.getValue();
        sum += position;
      }
      if (ended) {
        return;
      }
      // Positions also grow if there are only records of aborted transactions.
      if (sum != read) {
        read = sum;
        progressNanos = System.nanoTime();
      } else if (System.nanoTime() - progressNanos > PATIENCE.toNanos()) {
        throw new IOException("the broker sent nothing for %d s".formatted(PATIENCE.toSeconds()));
      }
      for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
        long end = ends.getOrDefault(new TopicPartition(record.topic(), record.partition()), 0L);
        if (record.offset() < end && !takes.test(record)) {
          return;
        }
      }
    }
  }
}
