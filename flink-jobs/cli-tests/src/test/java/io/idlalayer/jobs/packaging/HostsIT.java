package io.idlalayer.jobs.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.embedded.EmbeddedBroker;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A job in application mode with high availability, whose JobManager, TaskManager, ZooKeeper and
 * broker are hosts of a network. It is cut between each two of them that talk to each other, for
 * longer than Flink waits, while events come. Then the JobManager is killed. A process that ends is
 * started again, as an operator does.
 */
@Tag("stress")
final class HostsIT {
  private static final Duration WAIT = Duration.ofMinutes(4);
  private static final Duration CUT = Duration.ofSeconds(25);
  private static final int PART = 50;
  private static final String APPLICATION =
      """
      name: flow
      input: {topic: flow-samples, features: [a, b], label: y, classes: 2}
      model: {hidden: [4]}
      update: {rule: count, count: 50, max-wait: 4s}
      publishing: {directory: %s, keep: 200}
      """;

  @TempDir Path folder;

  /** Two hosts. */
  private record Pair(String name, HostNetwork.Host one, HostNetwork.Host other) {}

  @Test
  void cutBetweenEachTwoHosts_losesAndDoublesNothing() throws Exception {
    String obstacle = HostNetwork.obstacle();
    Assumptions.assumeTrue(obstacle.isEmpty(), obstacle);
    Path usrlib = Files.createDirectory(folder.resolve("usrlib"));
    Files.createSymbolicLink(usrlib.resolve("job.jar"), JobJar.whole());
    Path app =
        Files.writeString(
            folder.resolve("flow.yaml"), APPLICATION.formatted(folder.resolve("models")));
    try (HostNetwork network = new HostNetwork()) {
      HostNetwork.Host keeper = network.add();
      HostNetwork.Host manager = network.add();
      HostNetwork.Host tasks = network.add();
      HostNetwork.Host kafka = network.self();
      try (ZooKeeperProcess zooKeeper = new ZooKeeperProcess(folder, keeper);
          EmbeddedBroker broker =
              EmbeddedBroker.start(folder.resolve("kafka"), 0, kafka.address())) {
        String servers = broker.bootstrapServers();
        List<String> flink =
            new ArrayList<>(zooKeeper.flink(Files.createDirectory(folder.resolve("ha"))));
        flink.add("execution.checkpointing.dir: " + folder.resolve("checkpoints").toUri());
        flink.add("execution.checkpointing.interval: 500ms");
        flink.add("heartbeat.interval: 2000");
        flink.add("heartbeat.timeout: 10000");
        flink.add("restart-strategy.type: fixed-delay");
        flink.add("restart-strategy.fixed-delay.attempts: 1000");
        flink.add("restart-strategy.fixed-delay.delay: 1s");
        List<Pair> pairs =
            List.of(
                new Pair("JobManager and TaskManager", manager, tasks),
                new Pair("JobManager and ZooKeeper", manager, keeper),
                new Pair("TaskManager and ZooKeeper", tasks, keeper),
                new Pair("JobManager and broker", manager, kafka),
                new Pair("TaskManager and broker", tasks, kafka));
        try (SessionCluster cluster =
            SessionCluster.application(
                folder, flink, manager, tasks, app.toString(), "--bootstrap-servers", servers)) {
          try {
            cutEach(network, pairs, cluster, servers);
          } catch (Exception | AssertionError failed) {
            throw new AssertionError(cluster.tails(), failed);
          }
        }
      }
    }
  }

  private void cutEach(
      HostNetwork network, List<Pair> pairs, SessionCluster cluster, String servers)
      throws Exception {
    FlowEvents events = new FlowEvents(folder.resolve("models"));
    cluster.await();
    events.send(servers, PART);
    await("the first events", cluster, () -> events.trained() == events.sent());
    for (Pair pair : pairs) {
      network.cut(pair.one(), pair.other());
      events.send(servers, PART);
      long since = System.nanoTime();
      await("the end of the cut", cluster, () -> System.nanoTime() - since > CUT.toNanos());
      network.join(pair.one(), pair.other());
      events.send(servers, PART);
      await(pair.name(), cluster, () -> events.trained() == events.sent());
      events.checkNewestLine();
    }
    cluster.killJobManager();
    events.send(servers, PART);
    await("the JobManager", cluster, () -> events.trained() == events.sent());
    events.checkNewestLine();
    assertThat(events.sent()).isEqualTo(PART * (2 + 2 * pairs.size()));
  }

  private static void await(String what, SessionCluster cluster, Callable<Boolean> holds) {
    Awaitility.await(what)
        .atMost(WAIT)
        .pollInterval(Duration.ofMillis(200))
        .until(
            () -> {
              cluster.startEnded();
              return holds.call();
            });
  }
}
