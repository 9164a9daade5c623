package io.idlalayer.jobs.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.jobs.demo.DriftingStream;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.report.RunReport;
import io.idlalayer.jobs.report.RunView;
import io.idlalayer.jobs.run.FakeMonitor;
import io.idlalayer.jobs.run.InputPlan;
import io.idlalayer.jobs.run.StartOver;
import io.idlalayer.jobs.settings.ApplicationFiles;
import io.idlalayer.jobs.settings.ApplicationSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Real processes: kill -9 of the TaskManager in the middle of the stream, later of the JobManager,
 * and others in their places.
 */
final class LocalClusterIT {
  private static final long EVENTS = 16_000;

  @TempDir Path folder;

  private ApplicationSettings demo() throws Exception {
    return ApplicationFiles.demo(folder.resolve("demo.yaml"), "memory: {slow-directory: slow}\n");
  }

  /** Kills the TaskManager once some events are learned from, and starts another one. */
  private static final class Killer extends FakeMonitor {
    private final LocalCluster cluster;
    private final ApplicationSettings demo;
    boolean killed;
    boolean jobManagerKilled;
    boolean restored;

    final List<Path> rocksFolders = new ArrayList<>();

    Killer(LocalCluster cluster, ApplicationSettings demo) {
      this.cluster = cluster;
      this.demo = demo;
    }

    @Override
    public void event(RunView view, DecisionEvent event) {
      if (rocksFolders.isEmpty()) {
        rocksFolders.addAll(rocksFolders(cluster.workDirectory().resolveSibling("slow")));
        rocksFolders.addAll(rocksFolders(cluster.workDirectory().resolve("state")));
      }
      restored |= event.type() == DecisionEvent.Type.RESTORED;
      long received = event.status().samples().received();
      try {
        // After the first checkpoint, so that there is something to come back to.
        if (!killed && received > EVENTS / 2 && hasCheckpoint()) {
          killed = true;
          kill("taskmanager-1");
          cluster.start(1, Map.of(), text -> {});
        } else if (!jobManagerKilled && restored && received > EVENTS * 3 / 4) {
          jobManagerKilled = true;
          refusesASecond();
          kill("jobmanager");
          cluster.start(1, Map.of(), text -> {});
          ClusterRun.resume(cluster, this, phases::add);
        }
      } catch (IOException | InterruptedException failed) {
        throw new IllegalStateException(failed);
      }
    }

    /** The folders of RocksDB instances below a folder. */
    private static List<Path> rocksFolders(Path below) {
      if (!Files.isDirectory(below)) {
        return List.of();
      }
      try (Stream<Path> all = Files.find(below, 3, (path, it) -> isRocks(path))) {
        return all.toList();
      } catch (IOException changing) {
        throw new UncheckedIOException(changing);
      }
    }

    private boolean hasCheckpoint() throws IOException {
      Path checkpoints = cluster.workDirectory().resolve("checkpoints");
      try (Stream<Path> all =
          Files.find(checkpoints, 5, (path, it) -> path.endsWith("_metadata"))) {
        return all.findAny().isPresent();
      }
    }

    private static boolean isRocks(Path path) {
      return String.valueOf(path.getFileName()).startsWith("job_");
    }

    private void kill(String name) throws IOException {
      Path pidFile = cluster.workDirectory().resolve("cluster").resolve(name + ".pid");
      long pid = Long.parseLong(Files.readString(pidFile).trim().split(" ", -1)[0]);
      ProcessHandle.of(pid).orElseThrow().destroyForcibly();
      ProcessHandle.of(pid).ifPresent(process -> process.onExit().join());
    }

    private void refusesASecond() {
      ClusterRun second = new ClusterRun(cluster, List.of(demo), List.of(), this);
      assertThatThrownBy(
              () -> second.run(new ClusterRun.Options(null, StartOver.NO, null), () -> true))
          .hasMessageContaining("already runs on this cluster (RUNNING)");
    }
  }

  /** Returns the status of the request with which Flink's JobManager ends. */
  private static int deleteCluster(URI rest) throws IOException, InterruptedException {
    HttpRequest request = HttpRequest.newBuilder(rest.resolve("/cluster")).DELETE().build();
    return HttpClient.newHttpClient()
        .send(request, HttpResponse.BodyHandlers.discarding())
        .statusCode();
  }

  /** Dies with the first event, as a process does that is killed; the job goes on. */
  private static final class FaultyMonitor extends FakeMonitor {
    @Override
    public void event(RunView view, DecisionEvent event) {
      throw new IllegalStateException("the follower dies");
    }
  }

  @Test
  void run_followerTaskManagerAndJobManagerKilled_losesNothing() throws Exception {
    LocalCluster cluster = new LocalCluster(folder.resolve("work"));
    try {
      cluster.start(1, Map.of(), text -> {});
      assertThat(cluster.status()).hasSize(3).allMatch(line -> line.contains("runs, pid"));
      assertThat(deleteCluster(cluster.restAddress())).as("without the token").isEqualTo(405);
      ApplicationSettings demo = demo();
      Killer killer = new Killer(cluster, demo);
      InputPlan input =
          new InputPlan(demo, "it", () -> new DriftingStream(5, EVENTS), Long.MAX_VALUE, 500);
      List<Path> files = List.of(folder.resolve("demo.yaml"));
      ClusterRun.Options options = new ClusterRun.Options(input, StartOver.NO, null);
      assertThatThrownBy(
              () ->
                  new ClusterRun(cluster, List.of(demo), files, new FaultyMonitor())
                      .run(options, () -> false))
          .hasMessage("the follower dies");
      RunView view =
          Objects.requireNonNull(
                  new ClusterRun(cluster, List.of(demo), files, killer).run(options, () -> false))
              .view();
      assertThat(killer.rocksFolders)
          .as("RocksDB's files are in the folder of this work directory in the slow directory")
          .isNotEmpty()
          .allMatch(path -> path.startsWith(folder.resolve("slow")));
      assertThat(killer.phases).anyMatch(text -> text.startsWith("following job "));
      assertThat(killer.killed).isTrue();
      assertThat(killer.restored).isTrue();
      assertThat(killer.jobManagerKilled).isTrue();
      assertThat(killer.phases)
          .anyMatch(text -> text.startsWith("continuing from checkpoints/demo/run-000001/"));
      var report = RunReport.of(view, 1);
      assertThat(report.get("samples").get("received").asLong()).isEqualTo(EVENTS);
      assertThat(report.get("balance").get("holds").asBoolean()).isTrue();
      long version = 0;
      long trained = 0;
      for (var update : view.updates()) {
        assertThat(update.requireTraining().parentVersion() > 0)
            .as("begins from nothing")
            .isEqualTo(version > 0);
        if (update.published() != null) {
          assertThat(update.requirePublished().version()).isGreaterThan(version);
          version = update.requirePublished().version();
        }
        trained += update.firing().newSamples();
      }
      assertThat(trained).isEqualTo(report.get("trainedNewSamples").asLong());
    } finally {
      cluster.stop(text -> {});
    }
    assertThat(new LocalCluster(folder.resolve("work")).status())
        .allMatch(line -> line.contains("does not run"));
  }
}
