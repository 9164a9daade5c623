package io.idlalayer.jobs.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.KafkaClients;
import io.idlalayer.jobs.topics.EventHeaders;
import io.idlalayer.middleware.models.kafka.bounds.BoundedConsumer;
import io.idlalayer.middleware.models.kafka.bounds.UnpackLimits;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A producer that sends what is small on the wire and large in memory: batches of 100 kB that
 * unpack to gigabytes ended the process, and did so at each later start.
 */
final class CompressedInputIT {
  private static final String TOPIC = "t-samples";
  private static final int EVENT_BYTES = 900_000;
  private static final int EVENTS = 200;
  private static final int LARGE_BYTES = 100_000_000;

  @TempDir Path folder;

  private static byte[] spaces(int length) {
    byte[] spaces = new byte[length];
    Arrays.fill(spaces, (byte) ' ');
    return spaces;
  }

  private static void send(String servers) throws Exception {
    Map<String, Object> properties =
        Map.of(
            "bootstrap.servers",
            servers,
            "compression.type",
            "zstd",
            "batch.size",
            400_000_000,
            "linger.ms",
            2_000,
            "max.request.size",
            Integer.MAX_VALUE,
            "buffer.memory",
            500_000_000L);
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer())) {
      byte[] event = spaces(EVENT_BYTES);
      List<Future<RecordMetadata>> sent = new ArrayList<>();
      for (int i = 0; i < EVENTS; i++) {
        sent.add(producer.send(new ProducerRecord<>(TOPIC, event)));
      }
      producer.flush();
      sent.add(producer.send(new ProducerRecord<>(TOPIC, spaces(LARGE_BYTES))));
      sent.add(producer.send(new ProducerRecord<>(TOPIC, new byte[] {1})));
      for (Future<RecordMetadata> each : sent) {
        each.get(1, TimeUnit.MINUTES);
      }
    }
  }

  @Test
  void poll_batchesThatUnpackToMuch_areReadInBoundedParts() throws Exception {
    try (EmbeddedBroker broker = EmbeddedBroker.start(folder, 0);
        Admin admin =
            Admin.create(Map.<String, Object>of("bootstrap.servers", broker.bootstrapServers()))) {
      admin
          .createTopics(
              List.of(
                  new NewTopic(TOPIC, 1, (short) 1)
                      .configs(Map.of("max.message.bytes", "1048588"))))
          .all()
          .get(1, TimeUnit.MINUTES);
      send(broker.bootstrapServers());
      ApplicationSettings.Kafka kafka = new ApplicationSettings.Kafka("t-", Map.of());
      UnpackLimits limits = UnpackLimits.ofRecords(1 << 20);
      TopicPartition partition = new TopicPartition(TOPIC, 0);
      long next = 0;
      try (BoundedConsumer consumer =
          new BoundedConsumer(
              KafkaClients.inputConsumer(kafka, broker.bootstrapServers()), limits)) {
        consumer.assign(List.of(partition));
        consumer.seekToBeginning(List.of(partition));
        while (next < EVENTS + 2) {
          ConsumerRecords<byte[], byte[]> polled = consumer.poll(Duration.ofSeconds(30));
          assertThat(polled.count()).isPositive();
          long bytes = 0;
          for (ConsumerRecord<byte[], byte[]> record : polled) {
            assertThat(record.offset()).isEqualTo(next++);
            bytes += record.value().length;
            if (record.offset() < EVENTS) {
              assertThat(record.value()).hasSize(EVENT_BYTES);
            } else if (record.offset() == EVENTS) {
              assertThat(EventHeaders.length(record.headers())).isEqualTo(LARGE_BYTES);
              assertThat(record.value()).hasSize(UnpackLimits.KEPT_BYTES);
            } else {
              assertThat(record.value()).containsExactly(1);
            }
          }
          assertThat(bytes).isLessThan(limits.pollBytes() + limits.recordBytes());
        }
      }
    }
  }
}
