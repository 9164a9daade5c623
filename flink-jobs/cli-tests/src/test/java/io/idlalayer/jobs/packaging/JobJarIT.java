package io.idlalayer.jobs.packaging;

import io.idlalayer.jobs.embedded.EmbeddedBroker;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import org.apache.flink.core.execution.SavepointFormatType;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The job jar on a session cluster: submitted, stopped, cancelled and upgraded again and again.
 * Afterwards JobManager and TaskManager hold no class loader of a job, and no more memory, threads,
 * files and folders than after the first job. Properties: {@code idlalayer.submissions} says how
 * often, and {@code idlalayer.submissions.report} names a folder for tables of what was held.
 */
final class JobJarIT {
  private static final int SUBMISSIONS = Integer.getInteger("idlalayer.submissions", 2);
  private static final Duration WAIT = Duration.ofMinutes(2);
  private static final int PART = 50;
  private static final String APPLICATION =
      """
      name: flow
      input: {topic: flow-samples, features: [a, b], label: y, classes: 2}
      model: {hidden: [4]}
      update: {rule: count, count: 50, max-wait: 15s}
      publishing: {directory: models, keep: 100}
      """;

  @TempDir Path folder;

  private FlowEvents events = new FlowEvents(Path.of(""));

  @BeforeEach
  void nothingSent() {
    events = new FlowEvents(folder.resolve("models"));
  }

  @Test
  void run_submittedAgainAndAgain_leavesNothing() throws Exception {
    Path upgraded = folder.resolve("upgraded.jar");
    Files.copy(JobJar.whole(), upgraded);
    try (FileSystem jar = FileSystems.newFileSystem(upgraded)) {
      Files.writeString(jar.getPath("another-version"), "of the product");
    }
    check("job-jar", List.of(JobJar.whole(), upgraded), List.of());
  }

  @Test
  @Tag("stress")
  void run_withTheJobJarInFlinksLib_leavesNothing() throws Exception {
    check("lib-layer", List.of(JobJar.submit()), List.of(JobJar.whole()));
  }

  /**
   * @param jars what is submitted, in turn
   * @param lib what is beside Flink's jars
   */
  private void check(String way, List<Path> jars, List<Path> lib) throws Exception {
    Path app = application();
    try (EmbeddedBroker broker = EmbeddedBroker.start(folder.resolve("kafka"), 0);
        SessionCluster cluster = new SessionCluster(folder, flink(), lib)) {
      try {
        cluster.await();
        UseTable table = new UseTable(way);
        submitAgainAndAgain(cluster, jars, app, broker.bootstrapServers(), table);
        table.check();
      } catch (Exception | AssertionError failed) {
        throw new AssertionError(cluster.tails(), failed);
      }
    }
  }

  private Path application() throws IOException {
    return Files.writeString(
        folder.resolve("flow.yaml"),
        APPLICATION.replace("models", folder.resolve("models").toString()));
  }

  private List<String> flink() {
    return List.of(
        "execution.checkpointing.dir: " + folder.resolve("checkpoints").toUri(),
        "execution.checkpointing.savepoint-dir: " + folder.resolve("savepoints").toUri(),
        "execution.checkpointing.interval: 500ms",
        // The defaults leave jars and descriptions of ended jobs for an hour.
        "blob.service.cleanup.interval: 1",
        "jobstore.max-capacity: 1");
  }

  private void awaitTrained() {
    Awaitility.await()
        .atMost(WAIT)
        .pollInterval(Duration.ofMillis(100))
        .until(() -> events.trained() == events.sent());
  }

  private void submitAgainAndAgain(
      SessionCluster cluster, List<Path> jars, Path app, String servers, UseTable table)
      throws Exception {
    Path temporary = folder.resolve("tmp");
    ProcessUse jobManager = new ProcessUse(cluster.jobManager(), temporary);
    ProcessUse taskManager = new ProcessUse(cluster.taskManager(), temporary);
    List<String> from = List.of();
    for (int number = 0; number < SUBMISSIONS; number++) {
      Path jar = jars.get(number % jars.size());
      cluster.runJar(jar, from, app.toString(), "--bootstrap-servers", servers);
      events.send(servers, PART);
      awaitTrained();
      if (number % 3 == 0) {
        cluster.cancel();
        from = List.of("-s", newestCheckpoint());
      } else {
        from = List.of("-s", cluster.stop(SavepointFormatType.CANONICAL));
      }
      table.add(jobManager.awaitNoJob(), taskManager.awaitNoJob());
    }
  }

  private String newestCheckpoint() throws IOException {
    Comparator<Path> byTime = Comparator.comparing(file -> file.toFile().lastModified());
    Path newest =
        ProcessUse.below(folder.resolve("checkpoints")).stream()
            .filter(file -> file.endsWith("_metadata"))
            .max(byTime)
            .orElseThrow();
    return String.valueOf(newest.getParent());
  }
}
