package io.idlalayer.jobs.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.embedded.EmbeddedBroker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A job in application mode whose state Flink's high availability finds: the JobManager is killed,
 * then the whole cluster, as an operator's upgrade from the last state does. Samples wait for some
 * seconds before they train, so that each start continues with samples that wait for a timer.
 */
final class HighAvailabilityIT {
  private static final Duration WAIT = Duration.ofMinutes(2);
  private static final int PART = 50;
  private static final String APPLICATION =
      """
      name: flow
      input: {topic: flow-samples, features: [a, b], label: y, classes: 2}
      model: {hidden: [4]}
      update: {rule: count, count: 10000, max-wait: %s}
      publishing: {directory: %s, keep: 100}
      """;

  @TempDir Path folder;

  @Test
  void killedAndUpgraded_continuesWhereItsHighAvailabilitySays() throws Exception {
    Path usrlib = Files.createDirectory(folder.resolve("usrlib"));
    Files.createSymbolicLink(usrlib.resolve("job.jar"), JobJar.whole());
    String app = application("12s").toString();
    try (ZooKeeperProcess zooKeeper = new ZooKeeperProcess(folder);
        EmbeddedBroker broker = EmbeddedBroker.start(folder.resolve("kafka"), 0)) {
      String servers = broker.bootstrapServers();
      List<String> flink =
          new ArrayList<>(zooKeeper.flink(Files.createDirectory(folder.resolve("ha"))));
      flink.add("execution.checkpointing.dir: " + folder.resolve("checkpoints").toUri());
      flink.add("execution.checkpointing.interval: 500ms");
      try (SessionCluster cluster =
          SessionCluster.application(folder, flink, app, "--bootstrap-servers", servers)) {
        try {
          killAndUpgrade(cluster, servers);
        } catch (Exception | AssertionError failed) {
          throw new AssertionError(cluster.tails(), failed);
        }
      }
    }
  }

  private Path application(String wait) throws IOException {
    return Files.writeString(
        folder.resolve("flow.yaml"), APPLICATION.formatted(wait, folder.resolve("models")));
  }

  private void killAndUpgrade(SessionCluster cluster, String servers) throws Exception {
    FlowEvents events = new FlowEvents(folder.resolve("models"));
    cluster.await();
    events.send(servers, PART);
    await(() -> events.checkpointed(servers));
    assertThat(events.trained()).as("events learned before the JobManager ended").isZero();
    cluster.killJobManager();
    cluster.startJobManager();
    await(() -> events.trained() == PART);

    events.send(servers, PART);
    await(() -> events.checkpointed(servers));
    cluster.killJobManager();
    cluster.killTaskManager();
    assertThat(events.trained()).as("events learned before the upgrade").isEqualTo(PART);
    application("4s");
    cluster.startJobManager();
    cluster.startTaskManager();
    await(() -> events.trained() == 2 * PART);
    events.checkNewestLine();

    // Without the data of high availability the job would begin from nothing.
    cluster.killJobManager();
    cluster.killTaskManager();
    cluster.configure("high-availability.cluster-id", "another");
    cluster.startJobManager();
    cluster.startTaskManager();
    await(() -> !cluster.jobManager().isAlive());
    assertThat(cluster.jobManagerLog()).contains("has published models in");
    events.checkNewestLine();
  }

  private static void await(Callable<Boolean> holds) {
    Awaitility.await().atMost(WAIT).pollInterval(Duration.ofMillis(100)).until(holds);
  }
}
