package io.idlalayer.jobs.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.models.kafka.KafkaNoticeSource;
import io.idlalayer.middleware.models.kafka.ModelNotice;
import io.idlalayer.middleware.models.kafka.ModelNoticeCodec;
import io.idlalayer.middleware.models.serve.NoticeSource;
import io.idlalayer.middleware.models.serve.NoticeSourceContract;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;

/** Notices over a real broker, on a topic of three partitions for each test. */
final class KafkaNoticeSourceIT extends NoticeSourceContract {
  private static EmbeddedBroker broker;

  private String topic;
  private KafkaProducer<byte[], byte[]> producer;

  @BeforeAll
  static void startBroker(@TempDir Path folder) throws IOException {
    broker = EmbeddedBroker.start(folder.resolve("kafka"), 0);
  }

  @AfterAll
  static void stopBroker() {
    broker.close();
  }

  private static Map<String, Object> clients() {
    return Map.of("bootstrap.servers", broker.bootstrapServers());
  }

  @BeforeEach
  void createTopic(TestInfo test) throws Exception {
    topic = test.getTestMethod().orElseThrow().getName();
    try (Admin admin = Admin.create(clients())) {
      admin.createTopics(List.of(new NewTopic(topic, 3, (short) 1))).all().get(1, TimeUnit.MINUTES);
      // A broker may answer for a moment that it does not know a topic that was just created.
      Awaitility.await()
          .ignoreExceptions()
          .until(() -> admin.describeTopics(List.of(topic)).allTopicNames().get().size() == 1);
    }
    producer = TopicBytes.producer(clients());
  }

  @AfterEach
  void closeProducer() {
    producer.close();
  }

  @Override
  protected NoticeSource open() throws IOException {
    return new KafkaNoticeSource(clients(), topic, "app", 1);
  }

  @Override
  protected void send(String application, int partition) throws Exception {
    ModelNotice notice = new ModelNotice(application, partition, 3, "digest", 1);
    send(notice.key(), ModelNoticeCodec.encode(notice));
  }

  private void send(String key, byte[] value) throws Exception {
    producer
        .send(new ProducerRecord<>(topic, key.getBytes(StandardCharsets.UTF_8), value))
        .get(1, TimeUnit.MINUTES);
  }

  @Test
  void await_recordThatIsNoNotice_isFalse() throws Exception {
    try (NoticeSource source = open()) {
      send("app/1", new byte[] {'{', 0});
      send("app/1", null);
      for (int turn = 0; turn < 5; turn++) {
        assertThat(source.await(Duration.ofMillis(50))).isFalse();
      }
    }
  }

  @Test
  void open_topicMissing_isRefusedByName() {
    assertThatThrownBy(() -> new KafkaNoticeSource(clients(), "absent", "app", 1))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("absent");
  }

  @Test
  void open_noBroker_failsWithinTheTimeGiven() {
    Map<String, Object> nowhere =
        Map.of("bootstrap.servers", "127.0.0.1:1", "default.api.timeout.ms", 500);
    assertThatThrownBy(() -> new KafkaNoticeSource(nowhere, topic, "app", 1))
        .isInstanceOf(KafkaException.class);
  }
}
