package io.idlalayer.jobs.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.jobs.embedded.EmbeddedBroker;
import io.idlalayer.jobs.topics.EventHeaders;
import io.idlalayer.modelcontroller.replay.ArrivalTrace;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TopicArrivalsIT {
  private static final byte[] EVENT = "{}".getBytes(StandardCharsets.UTF_8);
  private static final byte[] KEY = {1};

  @TempDir Path folder;

  private static ProducerRecord<byte[], byte[]> at(int partition, long millis, byte[] value) {
    return new ProducerRecord<>("events", partition, millis, KEY, value);
  }

  @Test
  void read_severalPartitions_areOneTraceOfTheEvents() throws Exception {
    try (EmbeddedBroker broker = EmbeddedBroker.start(folder.resolve("kafka"), 0)) {
      Map<String, Object> client = Map.of("bootstrap.servers", broker.bootstrapServers());
      try (Admin admin = Admin.create(client)) {
        admin
            .createTopics(List.of(new NewTopic("events", Optional.of(2), Optional.empty())))
            .all()
            .get();
      }
      try (KafkaProducer<byte[], byte[]> producer =
          new KafkaProducer<>(client, new ByteArraySerializer(), new ByteArraySerializer())) {
        producer.send(at(0, 5_000, EVENT)).get();
        producer.send(at(0, 9_000, EVENT)).get();
        producer.send(at(0, 7_000, null)).get();
        ProducerRecord<byte[], byte[]> mark = at(0, 8_000, EVENT);
        mark.headers().add(EventHeaders.MARK, KEY);
        producer.send(mark).get();
        producer.send(at(1, 6_000, EVENT)).get();
        producer.send(at(1, 5_000, EVENT)).get();
      }
      TopicArrivals.Loaded loaded = TopicArrivals.read(client, "events");
      assertThat(loaded.untimed()).isZero();
      ArrivalTrace trace = loaded.trace();
      assertThat(trace.seconds()).containsExactly(0, 0, 1, 4);
      assertThat(TopicArrivals.read(client, "events", 4).trace().arrivals()).isEqualTo(4);
      assertThatThrownBy(() -> TopicArrivals.read(client, "events", 3))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("the topic events has more than 3 events");
      assertThatThrownBy(() -> TopicArrivals.read(client, "other"))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("other");
    }
  }
}
