package io.idlalayer.jobs.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.jobs.embedded.EmbeddedBroker;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.DecisionEventCodec;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.settings.ApplicationFiles;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.KafkaClients;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.WebOptions;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.types.Row;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A learner on a stream tells Kafka what one on a topic does. */
final class StreamToKafkaIT {
  private static final long EVENTS = 1_000;

  @TempDir Path folder;

  private StreamExecutionEnvironment environment() {
    Configuration settings = new Configuration();
    settings.set(CoreOptions.TMP_DIRS, folder.resolve("temporary").toString());
    settings.set(WebOptions.UPLOAD_DIR, folder.resolve("temporary").toString());
    settings.set(RestartStrategyOptions.RESTART_STRATEGY, "none");
    StreamExecutionEnvironment env = StreamExecutionEnvironment.createLocalEnvironment(1, settings);
    env.enableCheckpointing(100);
    return env;
  }

  private static Row row(Long number) {
    Row row = Row.withNames();
    row.setField("x", number == 7 ? Double.NaN : Math.sin(number));
    row.setField("label", Math.sin(number) > 0 ? "up" : "down");
    return row;
  }

  private ApplicationSettings application() throws Exception {
    return ApplicationFiles.read(
        folder.resolve("app.yaml"),
        """
        name: app
        input: {format: json, features: [x], label: label, classes: [down, up]}
        model: {type: mlp, hidden: [4]}
        update: {rule: count, count: 100}
        """);
  }

  private LearnedStreams learned(StreamExecutionEnvironment env) throws Exception {
    DataStream<Row> rows =
        env.fromSequence(1, EVENTS)
            .map(
                StreamToKafkaIT::row,
                Types.ROW_NAMED(new String[] {"x", "label"}, Types.DOUBLE, Types.STRING));
    return OnlineLearning.on(rows).models(folder.resolve("models").toString()).learn(application());
  }

  private static List<ConsumerRecord<byte[], byte[]>> records(String servers, String topic) {
    List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
    TopicPartition only = new TopicPartition(topic, 0);
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            Map.of(
                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                servers,
                ConsumerConfig.ISOLATION_LEVEL_CONFIG,
                "read_committed"),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer())) {
      consumer.assign(List.of(only));
      consumer.seekToBeginning(List.of(only));
      long end = consumer.endOffsets(List.of(only)).get(only);
      while (consumer.position(only) < end) {
        consumer.poll(Duration.ofSeconds(1)).forEach(records::add);
      }
    }
    return records;
  }

  @Test
  void toKafka_everythingThatIsSaid_isOnTheTopicsThatItMakes() throws Exception {
    ApplicationSettings application = application();
    try (EmbeddedBroker broker = EmbeddedBroker.start(folder.resolve("kafka"), 0)) {
      String servers = broker.bootstrapServers();
      StreamExecutionEnvironment env = environment();
      learned(env).toKafka(servers);
      env.execute("learning");
      ApplicationSettings.Kafka topics = application.kafka();
      List<ConsumerRecord<byte[], byte[]>> statuses = records(servers, topics.statusTopic());
      DecisionEvent last =
          DecisionEventCodec.decode(statuses.get(statuses.size() - 1).value()).orElseThrow();
      Status status = Objects.requireNonNull(last.status());
      assertThat(status.samples().received()).isEqualTo(EVENTS);
      assertThat(status.samples().malformed()).isEqualTo(1);
      assertThat(records(servers, topics.decisionsTopic())).isNotEmpty();
      assertThat(records(servers, topics.modelsTopic())).isNotEmpty();
      assertThat(records(servers, topics.deadLettersTopic()))
          .singleElement()
          .satisfies(
              letter ->
                  assertThat(new String(letter.value(), StandardCharsets.UTF_8)).contains("NaN"));
      try (Admin admin = Admin.create(KafkaClients.admin(topics, servers))) {
        assertThat(admin.listTopics().names().get()).doesNotContain(application.input().topic());
      }
    }
  }

  @Test
  void toKafka_noBroker_isSaidBeforeTheJobRuns() throws Exception {
    LearnedStreams learned = learned(environment());
    assertThatThrownBy(() -> learned.toKafka("127.0.0.1:1"))
        .hasMessageContaining("no Kafka broker answers at 127.0.0.1:1");
  }
}
