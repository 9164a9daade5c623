package io.idlalayer.jobs.cli.models;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.cli.Idla;
import io.idlalayer.jobs.cli.SmallModels;
import io.idlalayer.jobs.embedded.EmbeddedBroker;
import io.idlalayer.jobs.produce.Topics;
import io.idlalayer.jobs.settings.ApplicationFileReader;
import io.idlalayer.middleware.models.kafka.Heartbeat;
import io.idlalayer.middleware.models.kafka.HeartbeatCodec;
import io.idlalayer.middleware.models.kafka.HeartbeatReporter;
import io.idlalayer.middleware.models.kafka.Heartbeats;
import io.idlalayer.middleware.models.kafka.SubscriberIdentity;
import io.idlalayer.middleware.models.serve.ModelLoader;
import io.idlalayer.middleware.models.serve.ModelSubscriber;
import io.idlalayer.middleware.models.store.ModelPublisher;
import io.idlalayer.middleware.models.store.ModelStore;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

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
    publisher.publish(SmallModels.draft("app", SmallModels.files("a", List.of("0", "1"))));
  }

  private record Said(int code, String out, String err) {}

  private static Said run(String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine line = Idla.commandLine();
    line.setOut(new PrintWriter(out, true));
    line.setErr(new PrintWriter(err, true));
    int code = line.execute(arguments);
    return new Said(code, out.toString(), err.toString());
  }

  private static String listed() {
    Said said = run("models", "subscribers", "app", "--bootstrap-servers", servers);
    assertThat(said.code()).as(said.err()).isZero();
    return said.out();
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
                run(
                    "models",
                    "serve",
                    "--predict",
                    "app",
                    "--models-dir",
                    models().toString(),
                    "--bootstrap-servers",
                    servers,
                    "--name",
                    "web-1"));
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
        new KafkaProducer<>(
            Map.of("bootstrap.servers", servers),
            new ByteArraySerializer(),
            new ByteArraySerializer())) {
      byte[] other = HeartbeatCodec.encode(Heartbeats.of("web-2", System.currentTimeMillis()));
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
        new KafkaProducer<>(
            Map.of("bootstrap.servers", servers),
            new ByteArraySerializer(),
            new ByteArraySerializer())) {
      long nowMillis = System.currentTimeMillis();
      long dayMillis = Duration.ofDays(1).toMillis();
      for (long atMillis : List.of(0L, nowMillis - dayMillis, nowMillis + dayMillis)) {
        Heartbeat heartbeat = Heartbeats.of("clocks", 0, "at-" + atMillis, atMillis, 3);
        byte[] key = utf8(heartbeat.key());
        producer
            .send(new ProducerRecord<>(TOPIC, 0, atMillis, key, HeartbeatCodec.encode(heartbeat)))
            .get(1, TimeUnit.MINUTES);
      }
    }
    Said said =
        run(
            "models",
            "subscribers",
            "clocks",
            "--bootstrap-servers",
            servers,
            "--subscribers-topic",
            TOPIC);
    assertThat(said.out().lines())
        .hasSize(3)
        .allMatch(line -> line.matches("at-\\d+ on host-1: v3 since \\S+, heard \\d+ s ago"));
  }

  @Test
  void followAndServe_heartbeatsDoNotWork_saySoOnce() throws Exception {
    for (List<String> command :
        List.of(List.of("follow", "app"), List.of("serve", "--predict", "app"))) {
      StringWriter err = new StringWriter();
      CommandLine line = Idla.commandLine();
      line.setOut(new PrintWriter(new StringWriter(), true));
      line.setErr(new PrintWriter(err, true));
      List<String> arguments = new ArrayList<>(List.of("models"));
      arguments.addAll(command);
      arguments.addAll(List.of("--models-dir", models().toString()));
      arguments.addAll(List.of("--bootstrap-servers", servers));
      arguments.addAll(List.of("--subscribers-topic", "absent"));
      var running = background.submit(() -> line.execute(arguments.toArray(String[]::new)));
      Awaitility.await()
          .atMost(WAIT)
          .until(() -> err.toString().contains("on topic absent: there is no topic absent; check"));
      // It tries again after 0.2 s, 0.4 s and so on, and looks many times a second.
      Awaitility.await()
          .pollDelay(Duration.ofSeconds(1))
          .untilAsserted(
              () -> assertThat(err.toString()).containsOnlyOnce("no heartbeats on topic absent"));
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
                run(
                    "models",
                    "serve",
                    "--predict",
                    "app",
                    "--predict",
                    "app@shadow",
                    "--models-dir",
                    models().toString(),
                    "--bootstrap-servers",
                    servers,
                    "--name",
                    "web-7"));
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
    Said absent =
        run(
            "models",
            "subscribers",
            "app",
            "--bootstrap-servers",
            servers,
            "--subscribers-topic",
            "absent");
    assertThat(absent.code()).isEqualTo(1);
    assertThat(absent.err()).contains("there is no topic absent");
    Said nowhere = run("models", "subscribers", "app", "--bootstrap-servers", "127.0.0.1:1");
    assertThat(nowhere.code()).isEqualTo(1);
    assertThat(nowhere.err())
        .contains("heartbeats cannot be read from the Kafka at 127.0.0.1:1")
        .contains("--bootstrap-servers", "--kafka-properties");
  }
}
