package io.idlalayer.jobs.packaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.jobs.embedded.EmbeddedBroker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.flink.core.execution.SavepointFormatType;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A job on a session cluster that knows nothing of the product, submitted, stopped and continued
 * with Flink's own command line. Samples wait for some seconds before they train, so that each
 * continuation begins with samples that wait for a timer, and no event wakes their learner.
 */
final class FlinkSessionIT {
  private static final Duration WAIT = Duration.ofMinutes(4);
  private static final int PART = 200;
  private static final String APPLICATION =
      """
      name: %s
      input: {topic: %s-samples, features: [a, b], label: y, classes: 2}
      model: {hidden: [4]}
      update: {rule: count, count: 10000, max-wait: 15s}
      publishing: {directory: models, keep: 100}
      """;
  private static final Pattern CONTINUE = Pattern.compile("flink run -s (\\S+),");

  @TempDir Path folder;

  private FlowEvents events = new FlowEvents(Path.of(""));

  @BeforeEach
  void nothingSent() {
    events = new FlowEvents(folder.resolve("models"));
  }

  private Path application(String name, String topic) throws IOException {
    return Files.writeString(
        folder.resolve(name + ".yaml"),
        APPLICATION.formatted(name, topic).replace("models", folder.resolve("models").toString()));
  }

  @Test
  void run_stoppedWithSavepointsAndContinued_learnsEachEventOnce() throws Exception {
    Path app = application("flow", "flow");
    Path other = application("other", "other");
    String checkpoints = folder.resolve("checkpoints").toUri().toString();
    String savepoints = folder.resolve("savepoints").toUri().toString();
    List<String> flink =
        List.of(
            "execution.checkpointing.dir: " + checkpoints,
            "execution.checkpointing.savepoint-dir: " + savepoints,
            "execution.checkpointing.interval: 500ms");
    try (EmbeddedBroker broker = EmbeddedBroker.start(folder.resolve("kafka"), 0);
        SessionCluster cluster = new SessionCluster(folder, flink)) {
      try {
        learn(cluster, broker.bootstrapServers(), app, other);
      } catch (Exception | AssertionError failed) {
        throw new AssertionError(cluster.tails(), failed);
      }
    }
  }

  private void learn(SessionCluster cluster, String servers, Path app, Path other)
      throws Exception {
    cluster.await();
    submit(cluster, app, servers);
    events.send(servers, PART);
    awaitRead(servers);
    String canonical = cluster.stop(SavepointFormatType.CANONICAL);
    checkWaiting(1, 0);

    refused(() -> submit(cluster, other, servers, "-s", canonical), "another application");
    String cut = cutOff(canonical);
    refused(() -> submit(cluster, app, servers, "-s", cut), "cannot be read");

    submit(cluster, app, servers, "-s", canonical);
    awaitTrained(PART);
    events.send(servers, PART);
    awaitRead(servers);
    String stopped = cluster.stop(SavepointFormatType.NATIVE);
    checkWaiting(2, PART);

    assertThat(continuation(() -> submit(cluster, app, servers))).isEqualTo(path(stopped));
    submit(cluster, app, servers, "-D", "execution.state-recovery.path=" + stopped);
    awaitTrained(2 * PART);
    events.send(servers, PART);
    awaitRead(servers);
    cluster.cancel();

    String newest = continuation(() -> submit(cluster, app, servers));
    assertThat(newest).contains("/chk-");
    submit(cluster, app, servers, "-s", newest);
    awaitTrained(3 * PART);
    events.checkOneLine();
  }

  private static void submit(SessionCluster cluster, Path app, String servers, String... flink)
      throws Exception {
    cluster.run(List.of(flink), app.toString(), "--bootstrap-servers", servers);
  }

  private static void refused(ThrowingCallable submission, String reason) {
    assertThatThrownBy(submission).hasStackTraceContaining(reason);
  }

  /** The checkpoint that a refused start from nothing names. */
  private static String continuation(ThrowingCallable submission) {
    Throwable refused = org.assertj.core.api.Assertions.catchThrowable(submission);
    assertThat(refused).isNotNull().rootCause().hasMessageContaining("published models up to");
    Throwable root = refused;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    Matcher named = CONTINUE.matcher(String.valueOf(root.getMessage()));
    assertThat(named.find()).as("%s names a checkpoint", root.getMessage()).isTrue();
    return path(named.group(1));
  }

  private static String path(String address) {
    return address.replaceFirst("^file:/*", "/");
  }

  /** A copy of a savepoint whose metadata ends too early. */
  private String cutOff(String savepoint) throws IOException {
    Path copy = Files.createDirectories(folder.resolve("cut"));
    try (Stream<Path> files = Files.list(Path.of(path(savepoint)))) {
      for (Path file : files.toList()) {
        Files.copy(file, copy.resolve(file.getFileName().toString()));
      }
    }
    Path metadata = copy.resolve("_metadata");
    byte[] whole = Files.readAllBytes(metadata);
    Files.write(metadata, java.util.Arrays.copyOf(whole, whole.length / 2));
    return copy.toUri().toString();
  }

  /** Waits for a checkpoint that has all events that were sent. */
  private void awaitRead(String servers) {
    await(() -> events.checkpointed(servers));
  }

  private void awaitTrained(long expected) throws Exception {
    await(() -> events.trained() >= expected);
    assertThat(events.trained()).isEqualTo(expected);
  }

  private static void await(Callable<Boolean> holds) {
    Awaitility.await().atMost(WAIT).pollInterval(Duration.ofMillis(100)).until(holds);
  }

  /** Checks that the last events wait in the savepoint. */
  private void checkWaiting(int part, long expected) throws IOException {
    assertThat(events.trained())
        .as("events learned before the end of job %d", part)
        .isEqualTo(expected);
  }
}
