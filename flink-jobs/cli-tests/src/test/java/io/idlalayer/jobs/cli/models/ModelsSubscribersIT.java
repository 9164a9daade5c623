package io.idlalayer.jobs.cli.models;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.cli.IdlaRun;
import io.idlalayer.jobs.embedded.EmbeddedBroker;
import io.idlalayer.jobs.embedded.TopicBytes;
import io.idlalayer.jobs.produce.Topics;
import io.idlalayer.jobs.settings.ApplicationFileReader;
import io.idlalayer.middleware.models.kafka.Heartbeat;
import io.idlalayer.middleware.models.kafka.HeartbeatReporter;
import io.idlalayer.middleware.models.kafka.Heartbeats;
import io.idlalayer.middleware.models.kafka.SubscriberIdentity;
import io.idlalayer.middleware.models.serve.ModelLoader;
import io.idlalayer.middleware.models.serve.ModelSubscriber;
import io.idlalayer.middleware.models.store.Drafts;
import io.idlalayer.middleware.models.store.ModelPublisher;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.modelloader.network.SmallModels;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Heartbeats over a real broker: who says them, and the command that lists them. */
final class ModelsSubscribersIT {
  private static final Duration WAIT = Duration.ofMinutes(2);
  private static final String TOPIC = "app-subscribers";

  private static EmbeddedBroker broker;
  private static String servers;

  @TempDir Path folder;
  private final ExecutorService background = Executors.newCachedThreadPool();
  private ModelPublisher publisher;

  @BeforeAll
  static void startBroker(@TempDir Path folder) throws Exception {
    broker = EmbeddedBroker.start(folder.resolve("kafka"), 0);
    servers = broker.bootstrapServers();
    Path file =
        Files.writeString(
            folder.resolve("app.yaml"),
            """
            name: app
            input: {format: csv, columns: [a, label], features: [a], label: label, classes: 2}
            """);
    Topics.ensure(List.of(ApplicationFileReader.read(file, name -> null)), servers);
  }

  @AfterAll
  static void stopBroker() {
    broker.close();
  }

  @BeforeEach
  void publish() throws IOException {
    publisher = new ModelStore(models(), InstantSource.system()).claim("app", 0);
    publishOne();
  }

  @AfterEach
  void stop() {
    background.shutdownNow();
  }

  private Path models() {
    return folder.resolve("models");
  }

  private void publishOne() throws IOException {
    publisher.publish(Drafts.of("app", SmallModels.files("a", List.of("0", "1"))));
  }

  private static String listed() {
    return new IdlaRun().printed("models subscribers app --bootstrap-servers", servers);
  }

  private static void awaitListed(String pattern) {
    Awaitility.await()
        .atMost(WAIT)
        .untilAsserted(() -> assertThat(listed()).containsPattern(pattern));
  }

  @Test
  void serversOfPredictions_areListedWithTheVersionThatTheyServe() throws Exception {
    assertThat(listed()).contains("no subscriber reports to serve app/0");
    var served =
        background.submit(
            () ->
                new IdlaRun()
                    .run(
                        "models serve --predict app --models-dir",
                        models(),
                        "--bootstrap-servers",
                        servers,
                        "--name web-1"));
    awaitListed("web-1 on \\S+: v1 since \\S+Z, heard \\d s ago\n");
    publishOne();
    awaitListed("web-1 on \\S+: v2 since");
    sendHostile();
    assertThat(listed().lines()).singleElement().asString().startsWith("web-1 on ");
    served.cancel(true);
    awaitListed("no subscriber reports to serve app/0");
  }

  private static void sendHostile() throws Exception {
    try (KafkaProducer<byte[], byte[]> producer =
        TopicBytes.producer(Map.of("bootstrap.servers", servers))) {
      byte[] other = Heartbeats.encoded(Heartbeats.of("web-2", System.currentTimeMillis()));
      send(producer, utf8("app/0/web-1"), other);
      send(producer, utf8("app/0/web-1"), utf8("{\"formatVersion\":1}"));
      send(producer, utf8("app/0/web-1"), new byte[100_000]);
      send(producer, utf8("app/0/web-1"), null);
    }
  }

  private static void send(KafkaProducer<byte[], byte[]> producer, byte[] key, byte[] value)
      throws Exception {
    producer.send(new ProducerRecord<>(TOPIC, key, value)).get(1, TimeUnit.MINUTES);
  }

  @Test
  void clocks_ofSendersThatAreWrong_doNotMatter() throws Exception {
    try (KafkaProducer<byte[], byte[]> producer =
        TopicBytes.producer(Map.of("bootstrap.servers", servers))) {
      long nowMillis = System.currentTimeMillis();
      long dayMillis = Duration.ofDays(1).toMillis();
      for (long atMillis : List.of(0L, nowMillis - dayMillis, nowMillis + dayMillis)) {
        Heartbeat heartbeat = Heartbeats.of("clocks", 0, "at-" + atMillis, atMillis, 3);
        byte[] key = utf8(heartbeat.key());
        producer
            .send(new ProducerRecord<>(TOPIC, 0, atMillis, key, Heartbeats.encoded(heartbeat)))
            .get(1, TimeUnit.MINUTES);
      }
    }
    String said =
        new IdlaRun()
            .printed(
                "models subscribers clocks --bootstrap-servers",
                servers,
                "--subscribers-topic",
                TOPIC);
    assertThat(said.lines())
        .hasSize(3)
        .allMatch(line -> line.matches("at-\\d+ on host-1: v3 since \\S+, heard \\d+ s ago"));
  }

  @Test
  void followAndServe_heartbeatsDoNotWork_saySoOnce() throws Exception {
    for (String command : List.of("follow app", "serve --predict app")) {
      IdlaRun idla = new IdlaRun();
      var running =
          background.submit(
              () ->
                  idla.run(
                      "models",
                      command,
                      "--models-dir",
                      models(),
                      "--bootstrap-servers",
                      servers,
                      "--subscribers-topic absent"));
      Awaitility.await()
          .atMost(WAIT)
          .until(() -> idla.err().contains("on topic absent: there is no topic absent; check"));
      // It tries again after 0.2 s, 0.4 s and so on, and looks many times a second.
      Awaitility.await()
          .pollDelay(Duration.ofSeconds(1))
          .untilAsserted(
              () -> assertThat(idla.err()).containsOnlyOnce("no heartbeats on topic absent"));
      running.cancel(true);
    }
  }

  @Test
  void aliases_ofOneProcess_areListedEach() throws Exception {
    ModelStore store = new ModelStore(models(), InstantSource.system());
    store.alias("shadow", store.serving("app", 0).orElseThrow().checkpoint());
    var served =
        background.submit(
            () ->
                new IdlaRun()
                    .run(
                        "models serve --predict app --predict app@shadow --models-dir",
                        models(),
                        "--bootstrap-servers",
                        servers,
                        "--name web-7"));
    awaitListed(
        "web-7 on \\S+: v1 since \\S+, heard \\d s ago\nweb-7 on .*, follows shadow, heard");
    served.cancel(true);
    awaitListed("no subscriber reports to serve app/0");
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void reporter_topicOrBrokerMissing_saysSoAndHarmsNobody() throws Exception {
    ModelLoader<String> loader = (checkpoint, files) -> "model";
    ModelStore store = new ModelStore(models(), InstantSource.system());
    SubscriberIdentity identity = new SubscriberIdentity("web-3", "h", "1");
    try (ModelSubscriber<String> subscriber =
            new ModelSubscriber<>(
                new ModelSubscriber.Subscription(store, "app", 0, Duration.ofMillis(50)),
                loader,
                InstantSource.system());
        HeartbeatReporter topicless =
            HeartbeatReporter.start(
                Map.of("bootstrap.servers", servers),
                "absent",
                identity,
                List.of(HeartbeatReporter.Reported.of(subscriber)));
        HeartbeatReporter brokerless =
            HeartbeatReporter.start(
                Map.of("bootstrap.servers", "127.0.0.1:1"),
                TOPIC,
                identity,
                List.of(HeartbeatReporter.Reported.of(subscriber)))) {
      subscriber.start(null, reason -> {});
      Awaitility.await()
          .atMost(WAIT)
          .until(
              () ->
                  topicless.lastError().equals("there is no topic absent")
                      && brokerless.lastError().equals("no Kafka broker answers at 127.0.0.1:1"));
      assertThat(subscriber.current()).isPresent();
    }
    IdlaRun idla = new IdlaRun();
    int absent =
        idla.run(
            "models subscribers app --bootstrap-servers", servers, "--subscribers-topic absent");
    assertThat(absent).isEqualTo(1);
    assertThat(idla.err()).contains("there is no topic absent");
    int nowhere = idla.run("models subscribers app --bootstrap-servers 127.0.0.1:1");
    assertThat(nowhere).isEqualTo(1);
    assertThat(idla.err())
        .contains("heartbeats cannot be read from the Kafka at 127.0.0.1:1")
        .contains("--bootstrap-servers", "--kafka-properties");
  }
}
