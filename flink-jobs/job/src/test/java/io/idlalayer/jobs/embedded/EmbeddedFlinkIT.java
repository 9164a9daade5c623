package io.idlalayer.jobs.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.jobs.report.SavedState;
import io.idlalayer.jobs.run.FlinkRest;
import io.idlalayer.jobs.run.FlinkSettings;
import io.idlalayer.jobs.run.JobCheckpoints;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real job in this process, and what Flink says of its checkpoints. */
final class EmbeddedFlinkIT {
  @TempDir Path folder;

  private Configuration settings(Path temporary) {
    Configuration settings = new Configuration();
    settings.set(CheckpointingOptions.CHECKPOINT_STORAGE, "filesystem");
    settings.set(
        CheckpointingOptions.CHECKPOINTS_DIRECTORY,
        folder.resolve("checkpoints").toUri().toString());
    return FlinkSettings.embedded(settings, temporary);
  }

  @Test
  void restAddress_ofARunningJob_tellsItsCheckpoints() throws Exception {
    EmbeddedFlink flink = new EmbeddedFlink();
    Path temporary = Files.createDirectory(folder.resolve("temporary"));
    StreamExecutionEnvironment env = flink.environment(1, settings(temporary));
    env.enableCheckpointing(50);
    env.fromSequence(1, Long.MAX_VALUE).filter(number -> number < 0).print();
    JobClient job = env.executeAsync("numbers");
    AtomicReference<SavedState.Checkpoints> told = new AtomicReference<>();
    Awaitility.await()
        .atMost(60, TimeUnit.SECONDS)
        .until(
            () -> {
              told.set(JobCheckpoints.ask(flink.restAddress(), job.getJobID().toString()));
              return told.get().completed() > 1;
            });
    SavedState.Checkpoints checkpoints = told.get();
    // Flink counts one that it wants before all tasks run as failed; none that began may be.
    URI asked = flink.restAddress().resolve("/jobs/" + job.getJobID() + "/checkpoints");
    assertThat(
            FlinkRest.get(asked, Duration.ofSeconds(10)).at("/history").findValuesAsText("status"))
        .contains("COMPLETED")
        .doesNotContain("FAILED");
    assertThat(checkpoints.seconds().longest()).isGreaterThanOrEqualTo(checkpoints.seconds().p99());
    assertThat(checkpoints.seconds().p99()).isGreaterThanOrEqualTo(checkpoints.seconds().median());
    assertThat(checkpoints.stateBytes().last()).isPositive();
    assertThat(checkpoints.writtenBytes().most()).isPositive();
    job.cancel().get(60, TimeUnit.SECONDS);
    // The cluster ends with its job, and takes its files along, but for a folder that Flink may
    // leave.
    Awaitility.await()
        .atMost(60, TimeUnit.SECONDS)
        .untilAsserted(
            () ->
                assertThat(temporary)
                    .isDirectoryNotContaining(file -> !file.endsWith("flink-web-upload")));
  }

  @Test
  void restAddress_withoutAJob_isRefused() {
    assertThatThrownBy(() -> new EmbeddedFlink().restAddress())
        .isInstanceOf(IOException.class)
        .hasMessageContaining("no job was submitted");
  }
}
