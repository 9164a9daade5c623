package io.idlalayer.jobs.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.demo.DriftingStream;
import io.idlalayer.jobs.mixing.Contributor;
import io.idlalayer.jobs.mixing.MixedVersion;
import io.idlalayer.jobs.report.RunReport;
import io.idlalayer.jobs.run.InputPlan;
import io.idlalayer.jobs.run.RunOutcome;
import io.idlalayer.jobs.run.StartOver;
import io.idlalayer.jobs.settings.ApplicationFiles;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.store.ModelStore;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two TaskManagers learn one model; kill -9 of each, later of both. */
@Tag("stress")
final class MixingClusterIT {
  private static final long EVENTS = 16_000;

  @TempDir Path folder;

  @Test
  void run_taskManagersKilledAmidRounds_learnsEachEventOnceInOneModel() throws Exception {
    LocalCluster cluster = new LocalCluster(folder.resolve("work"));
    try {
      cluster.start(2, Map.of(), text -> {});
      Path file = folder.resolve("demo.yaml");
      ApplicationSettings demo =
          ApplicationFiles.demo(file, "partitions: 2\nmixing: {action: average}\n");
      TaskManagerKiller killer = new TaskManagerKiller(cluster, EVENTS);
      InputPlan input =
          new InputPlan(demo, "it", () -> new DriftingStream(5, EVENTS), Long.MAX_VALUE, 500);
      RunOutcome outcome =
          new ClusterRun(cluster, List.of(demo), List.of(file), killer)
              .run(new ClusterRun.Options(input, StartOver.NO, null), () -> false);
      assertThat(killer.processes()).as("processes with learners").isEqualTo(2);
      assertThat(killer.kills()).isEqualTo(3);
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
