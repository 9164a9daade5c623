package io.idlalayer.jobs.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.embedded.EmbeddedBroker;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.apache.flink.api.common.JobID;
import org.apache.flink.core.execution.SavepointFormatType;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A job on a session cluster whose checkpoints and savepoints lie in HDFS. */
final class HdfsStateIT {
  private static final Duration WAIT = Duration.ofMinutes(4);
  private static final int PART = 50;
  private static final String APPLICATION =
      """
      name: flow
      input: {topic: flow-samples, features: [a, b], label: y, classes: 2}
      model: {hidden: [4]}
      update: {rule: count, count: 50, max-wait: 15s}
      publishing: {directory: "%s", keep: 100}
      """;

  @TempDir Path folder;

  @Test
  @Tag("stress")
  void run_nameNodeKilled_continuesWhereItWas() throws Exception {
    Path models = folder.resolve("models");
    Path app = Files.writeString(folder.resolve("flow.yaml"), APPLICATION.formatted(models));
    FlowEvents events = new FlowEvents(models);
    try (HdfsCluster hdfs = HdfsCluster.start(folder.resolve("hdfs"));
        EmbeddedBroker broker = EmbeddedBroker.start(folder.resolve("kafka"), 0);
        SessionCluster cluster = new SessionCluster(folder, flink(hdfs), HdfsCluster.client())) {
      String servers = broker.bootstrapServers();
      try {
        cluster.await();
        submit(cluster, app, servers);
        learn(events, servers);
        String savepoint = cluster.stop(SavepointFormatType.NATIVE);
        assertThat(savepoint).startsWith(hdfs.address());
        submit(cluster, app, servers, "-s", savepoint);
        learn(events, servers);
        events.checkOneLine();

        hdfs.killNameNode();
        events.send(servers, PART);
        await(() -> events.trained() == events.sent());
        hdfs.startNameNode();
        learn(events, servers);

        JobID job = cluster.running();
        cluster.cancel();
        String checkpoint = cluster.newestCheckpoint(job);
        assertThat(checkpoint).startsWith(hdfs.address());
        submit(cluster, app, servers, "-s", checkpoint);
        learn(events, servers);
        events.checkNewestLine();
      } catch (Exception | AssertionError failed) {
        throw new AssertionError(cluster.tails(), failed);
      }
    }
  }

  private static List<String> flink(HdfsCluster hdfs) {
    return List.of(
        "execution.checkpointing.dir: " + hdfs.address() + "/flink/checkpoints",
        "execution.checkpointing.savepoint-dir: " + hdfs.address() + "/flink/savepoints",
        "execution.checkpointing.interval: 1s");
  }

  private static void submit(SessionCluster cluster, Path app, String servers, String... flink)
      throws Exception {
    List<String> options = new ArrayList<>(List.of(flink));
    cluster.runJar(JobJar.whole(), options, app.toString(), "--bootstrap-servers", servers);
  }

  private static void learn(FlowEvents events, String servers) throws Exception {
    events.send(servers, PART);
    await(() -> events.trained() == events.sent() && events.checkpointed(servers));
  }

  private static void await(Callable<Boolean> holds) {
    Awaitility.await().atMost(WAIT).pollInterval(Duration.ofMillis(200)).until(holds);
  }
}
