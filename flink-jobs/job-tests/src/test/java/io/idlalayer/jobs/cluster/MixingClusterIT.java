package io.idlalayer.jobs.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.demo.DriftingStream;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.mixing.Contributor;
import io.idlalayer.jobs.mixing.MixedVersion;
import io.idlalayer.jobs.report.RunReport;
import io.idlalayer.jobs.report.RunView;
import io.idlalayer.jobs.run.FakeMonitor;
import io.idlalayer.jobs.run.InputPlan;
import io.idlalayer.jobs.run.RunOutcome;
import io.idlalayer.jobs.run.StartOver;
import io.idlalayer.jobs.settings.ApplicationFiles;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.store.ModelStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two TaskManagers learn one model; kill -9 of one, later of both. */
@Tag("stress")
final class MixingClusterIT {
  private static final long EVENTS = 16_000;

  @TempDir Path folder;

  /** Kills TaskManagers as the learners get on, and starts others in their place. */
  private static final class Killer extends FakeMonitor {
    private final LocalCluster cluster;
    private int killed;
    private long mixed;

    Killer(LocalCluster cluster) {
      this.cluster = cluster;
    }

    @Override
    public void event(RunView view, DecisionEvent event) {
      mixed += event.type() == DecisionEvent.Type.MIXED ? 1 : 0;
      long received = event.status().samples().received();
      try {
        if (killed == 0 && mixed > 2 && received > EVENTS / 8 && hasCheckpoint()) {
          killed = 1;
          kill("taskmanager-1");
          cluster.start(2, Map.of(), text -> {});
        } else if (killed == 1
            && event.type() == DecisionEvent.Type.MIXED
            && received > EVENTS / 4) {
          killed = 2;
          kill("taskmanager-1");
          kill("taskmanager-2");
          cluster.start(2, Map.of(), text -> {});
        }
      } catch (IOException | InterruptedException failed) {
        throw new IllegalStateException(failed);
      }
    }

    private boolean hasCheckpoint() throws IOException {
      Path checkpoints = cluster.workDirectory().resolve("checkpoints");
      try (Stream<Path> all =
          Files.find(checkpoints, 5, (path, it) -> path.endsWith("_metadata"))) {
        return all.findAny().isPresent();
      }
    }

    private void kill(String name) throws IOException {
      Path pidFile = cluster.workDirectory().resolve("cluster").resolve(name + ".pid");
      long pid = Long.parseLong(Files.readString(pidFile).trim().split(" ", -1)[0]);
      ProcessHandle.of(pid).orElseThrow().destroyForcibly();
      ProcessHandle.of(pid).ifPresent(process -> process.onExit().join());
    }
  }

  @Test
  void run_taskManagersKilledAmidRounds_learnsEachEventOnceInOneModel() throws Exception {
    LocalCluster cluster = new LocalCluster(folder.resolve("work"));
    try {
      cluster.start(2, Map.of(), text -> {});
      Path file = folder.resolve("demo.yaml");
      ApplicationSettings demo =
          ApplicationFiles.demo(file, "partitions: 2\nmixing: {action: average}\n");
      Killer killer = new Killer(cluster);
      InputPlan input =
          new InputPlan(demo, "it", () -> new DriftingStream(5, EVENTS), Long.MAX_VALUE, 500);
      RunOutcome outcome =
          new ClusterRun(cluster, List.of(demo), List.of(file), killer)
              .run(new ClusterRun.Options(input, StartOver.NO, null), () -> false);
      assertThat(killer.killed).isEqualTo(2);
      var report = RunReport.of(Objects.requireNonNull(outcome).view(), 1);
      assertThat(report.get("samples").get("received").asLong()).isEqualTo(EVENTS);
      ModelStore store =
          new ModelStore(cluster.workDirectory().resolve("models"), InstantSource.system());
      ModelCheckpoint served = store.current("demo", 0).orElseThrow();
      store.verify(served);
      MixedVersion version = MixedVersion.of(served.manifest()).orElseThrow();
      assertThat(version.contributors()).extracting(Contributor::partition).containsExactly(0, 1);
      assertThat(version.contributors().stream().mapToLong(Contributor::trained).sum())
          .isEqualTo(
              EVENTS
                  - report.get("samples").get("malformed").asLong()
                  - report.get("samples").get("unlabeled").asLong())
          .isEqualTo(report.get("trainedNewSamples").asLong());
    } finally {
      cluster.stop(text -> {});
    }
  }
}
