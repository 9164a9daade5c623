package io.idlalayer.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.idlalayer.jobs.embedded.SecuredBroker;
import io.idlalayer.jobs.embedded.TopicBytes;
import io.idlalayer.jobs.settings.ApplicationFileReader;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.KafkaClients;
import io.idlalayer.jobs.terminal.Terminal;
import io.idlalayer.middleware.models.kafka.HeartbeatReporter;
import io.idlalayer.middleware.models.kafka.HeartbeatSource;
import io.idlalayer.middleware.models.kafka.KafkaNoticeSource;
import io.idlalayer.middleware.models.kafka.SubscriberIdentity;
import io.idlalayer.middleware.models.manifest.ApplicationPartition;
import io.idlalayer.middleware.models.serve.ModelSubscriber;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Everything that speaks Kafka (source, three sinks, producer, admin, notices, heartbeats) against
 * a broker that takes TLS and SASL only, through {@code kafka.properties} of the application file.
 */
final class KafkaSecurityIT {
  private static final String PASSWORD = "correct-horse-9";
  private static final String WRONG_PASSWORD = "wrong-battery-3";
  private static final int ROWS = 300;

  @TempDir static Path folder;
  private static SecuredBroker broker;

  private final IdlaRun idla = new IdlaRun();

  @BeforeAll
  static void startBroker() throws Exception {
    broker = SecuredBroker.start(folder.resolve("broker"), PASSWORD);
  }

  @AfterAll
  static void stopBroker() {
    broker.close();
  }

  private Path application(String password, Path trustStore) throws Exception {
    Path file = folder.resolve("secured.yaml");
    Files.writeString(
        file,
        """
        name: secured
        input: {format: csv, columns: [x1, x2, y], features: [x1, x2], label: y, classes: 2}
        model: {type: mlp, hidden: [4]}
        update: {rule: count, count: 100}
        kafka:
          properties:
            security.protocol: SASL_SSL
            sasl.mechanism: SCRAM-SHA-512
            sasl.jaas.config: 'org.apache.kafka.common.security.scram.ScramLoginModule required username="%s" password="%s";'
            ssl.truststore.location: %s
            ssl.truststore.password: %s
            ssl.truststore.type: PKCS12
        """
            .formatted(SecuredBroker.USER, password, trustStore, SecuredBroker.STORE_PASSWORD));
    return file;
  }

  private Path rows() throws Exception {
    List<String> rows = new ArrayList<>();
    for (int i = 0; i < ROWS; i++) {
      rows.add("%d,%d,%d".formatted(i, -i, i % 2));
    }
    rows.add("none,0,1");
    return Files.write(folder.resolve("rows.csv"), rows);
  }

  @Test
  void run_brokerWithTlsAndScram_learnsAndPublishes() throws Exception {
    Path file = application(PASSWORD, broker.trustStore());
    Path report = folder.resolve("report.json");
    int code =
        idla.run(
            "run",
            file,
            "--input",
            rows(),
            "--bootstrap-servers",
            broker.bootstrapServers(),
            "--allow-malformed",
            "1%",
            "--work-dir",
            folder.resolve("work"),
            "--report",
            report);
    assertThat(code).as(said()).isZero();
    JsonNode node = new ObjectMapper().readTree(report.toFile());
    assertThat(node.at("/samples/received").asLong()).isEqualTo(ROWS + 1);
    assertThat(node.at("/trainedNewSamples").asLong()).isEqualTo(ROWS);
    ApplicationSettings settings = ApplicationFileReader.read(file, name -> null);
    assertThat(records(settings, settings.kafka().deadLettersTopic())).hasSize(1);
    assertThat(records(settings, settings.kafka().modelsTopic())).as("notices").isNotEmpty();
    assertNoticesCanBeFollowed(settings);
    assertHeartbeatsCanBeSentAndRead(settings);
    assertThat(settings.toString()).doesNotContain(PASSWORD, SecuredBroker.STORE_PASSWORD);
    assertNoSecrets();
  }

  private static List<ConsumerRecord<byte[], byte[]>> records(
      ApplicationSettings settings, String topic) {
    return TopicBytes.all(
        KafkaClients.consumer(settings.kafka(), broker.bootstrapServers()), topic);
  }

  /** Connecting with the same properties is what can fail; notices of the past are not told. */
  private static void assertNoticesCanBeFollowed(ApplicationSettings settings) throws Exception {
    KafkaNoticeSource notices =
        new KafkaNoticeSource(
            KafkaClients.consumer(settings.kafka(), broker.bootstrapServers()),
            settings.kafka().modelsTopic(),
            settings.name(),
            0);
    try {
      assertThat(notices.await(Duration.ofMillis(100))).isFalse();
    } finally {
      notices.close();
    }
  }

  private static void assertHeartbeatsCanBeSentAndRead(ApplicationSettings settings)
      throws Exception {
    Map<String, Object> kafka = KafkaClients.common(settings.kafka(), broker.bootstrapServers());
    String topic = settings.kafka().subscribersTopic();
    ModelSubscriber.Status status =
        new ModelSubscriber.Status(1, 1, 1, 1, 1, 1, 0, "", "", 0, 0, 0, 0, 0, false);
    HeartbeatReporter.Reported reported =
        new HeartbeatReporter.Reported(
            new ApplicationPartition(settings.name(), 0), "", () -> status);
    try (HeartbeatSource source = new HeartbeatSource(kafka, List.of(topic));
        HeartbeatReporter reporter =
            HeartbeatReporter.start(
                kafka, topic, new SubscriberIdentity("web-1", "h", "1"), List.of(reported))) {
      List<HeartbeatSource.Heard> heard = new ArrayList<>();
      for (int i = 0; i < 300 && heard.isEmpty(); i++) {
        heard.addAll(source.poll(Duration.ofMillis(100)));
      }
      assertThat(heard).as(reporter.lastError()).hasSize(1);
    }
  }

  private int produce(Path file) throws Exception {
    return idla.run(
        "produce", file, "--input", rows(), "--bootstrap-servers", broker.bootstrapServers());
  }

  @Test
  void produce_wrongPassword_endsWithOneClearError() throws Exception {
    assertThat(produce(application(WRONG_PASSWORD, broker.trustStore())))
        .isEqualTo(Terminal.FAILED);
    assertThat(said()).contains("refuses the login", "sasl.jaas.config", broker.bootstrapServers());
    assertOneError();
  }

  @Test
  void produce_certificateOfSomebodyElse_endsWithOneClearError() throws Exception {
    Path other = SecuredBroker.otherTrustStore(folder);
    assertThat(produce(application(PASSWORD, other))).isEqualTo(Terminal.FAILED);
    assertThat(said()).contains("TLS", "ssl.truststore.location", broker.bootstrapServers());
    assertOneError();
  }

  private String said() {
    return idla.out() + idla.err();
  }

  private void assertOneError() {
    assertThat(said().lines().filter(line -> line.startsWith("error:"))).hasSize(1);
    assertNoSecrets();
  }

  private void assertNoSecrets() {
    assertThat(said()).doesNotContain(PASSWORD, WRONG_PASSWORD, SecuredBroker.STORE_PASSWORD);
  }
}
