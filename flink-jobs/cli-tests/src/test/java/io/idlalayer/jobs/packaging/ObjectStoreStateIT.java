package io.idlalayer.jobs.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.embedded.EmbeddedBroker;
import io.idlalayer.testkit.ObjectStoreServer;
import io.idlalayer.testkit.ObjectStoreServer.Fate;
import io.idlalayer.testkit.TestCredentials;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.apache.flink.core.execution.SavepointFormatType;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A job on a session cluster whose checkpoints, savepoints and models lie in an object store, which
 * Flink reaches by its own plugin. Some requests are refused, delayed, or not answered.
 */
final class ObjectStoreStateIT {
  private static final Duration WAIT = Duration.ofMinutes(4);
  private static final int PART = 50;
  private static final double FAULTS = 0.15;
  private static final String ENDPOINT = "aws.endpointUrlS3";
  private static final String MODELS = "s3://" + ObjectStoreServer.BUCKET + "/published";
  private static final String FLINK = "s3://" + ObjectStoreServer.BUCKET + "/flink/";
  private static final Path PLUGINS = Path.of("target/plugins").toAbsolutePath();
  private static final String APPLICATION =
      """
      name: flow
      input: {topic: flow-samples, features: [a, b], label: y, classes: 2}
      model: {hidden: [4]}
      update: {rule: count, count: 50, max-wait: 15s}
      publishing: {directory: "%s", keep: 100}
      """;

  @TempDir Path folder;
  @TempDir Path objects;
  private ObjectStoreServer server;

  @BeforeEach
  void start() throws IOException {
    TestCredentials.set();
    server = ObjectStoreServer.start(objects);
    System.setProperty(ENDPOINT, server.endpoint().toString());
  }

  @AfterEach
  void stop() {
    System.clearProperty(ENDPOINT);
    server.close();
  }

  private Map<String, String> environment() {
    Map<String, String> environment = new HashMap<>();
    environment.put("FLINK_PLUGINS_DIR", PLUGINS.toString());
    environment.put("AWS_ENDPOINT_URL_S3", server.endpoint().toString());
    environment.put("AWS_REGION", "us-east-1");
    environment.put("AWS_ACCESS_KEY_ID", "tests");
    environment.put("AWS_SECRET_ACCESS_KEY", "tests");
    return environment;
  }

  private List<String> flink() {
    return List.of(
        "execution.checkpointing.dir: " + FLINK + "checkpoints",
        "execution.checkpointing.savepoint-dir: " + FLINK + "savepoints",
        "execution.checkpointing.interval: 1s",
        "s3.endpoint: " + server.endpoint(),
        "s3.path.style.access: true",
        "s3.access-key: tests",
        "s3.secret-key: tests");
  }

  private void disturb() {
    SplittableRandom random = new SplittableRandom(1);
    List<Fate> fates = List.of(Fate.REFUSED, Fate.DELAYED, Fate.DROPPED);
    server.faults(
        (method, path) -> {
          synchronized (random) {
            return random.nextDouble() < FAULTS
                ? fates.get(random.nextInt(fates.size()))
                : Fate.ANSWERED;
          }
        });
  }

  @Test
  @Tag("stress")
  void run_storeThatRefusesAndDelays_continuesWhereItWas() throws Exception {
    Path app = Files.writeString(folder.resolve("flow.yaml"), APPLICATION.formatted(MODELS));
    FlowEvents events = new FlowEvents(MODELS);
    try (EmbeddedBroker broker = EmbeddedBroker.start(folder.resolve("kafka"), 0);
        SessionCluster cluster = new SessionCluster(folder, flink(), environment())) {
      String servers = broker.bootstrapServers();
      try {
        cluster.await();
        submit(cluster, app, servers);
        disturb();
        learn(cluster, events, servers);
        String savepoint = cluster.stop(SavepointFormatType.NATIVE);
        assertThat(savepoint).startsWith(FLINK);
        submit(cluster, app, servers, "-s", savepoint);
        learn(cluster, events, servers);
        cluster.cancel();
        submit(cluster, app, servers, "-s", newestCheckpoint());
        learn(cluster, events, servers);
        events.checkOneLine();
      } catch (Exception | AssertionError failed) {
        throw new AssertionError(cluster.tails(), failed);
      }
    }
  }

  private static void submit(SessionCluster cluster, Path app, String servers, String... flink)
      throws Exception {
    List<String> options = new ArrayList<>(List.of(flink));
    cluster.runJar(JobJar.whole(), options, app.toString(), "--bootstrap-servers", servers);
  }

  private static void learn(SessionCluster cluster, FlowEvents events, String servers)
      throws Exception {
    events.send(servers, PART);
    await(() -> events.trained() == events.sent() && events.checkpointed(servers));
    assertThat(cluster.running()).isNotNull();
  }

  private String newestCheckpoint() throws IOException {
    Path checkpoints = server.file(FLINK + "checkpoints");
    try (Stream<Path> files = Files.walk(checkpoints)) {
      Path newest =
          files
              .filter(file -> file.endsWith("_metadata"))
              .max(Comparator.comparing(file -> file.toFile().lastModified()))
              .orElseThrow();
      return FLINK + "checkpoints/" + checkpoints.relativize(newest.getParent());
    }
  }

  private static void await(Callable<Boolean> holds) {
    Awaitility.await().atMost(WAIT).pollInterval(Duration.ofMillis(200)).until(holds);
  }
}
