package io.idlalayer.jobs.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.jobs.report.SavedState;
import io.idlalayer.jobs.run.JobCheckpoints;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real job in this process, and what Flink says of its checkpoints. */
final class EmbeddedFlinkIT {
  @TempDir Path folder;

  private Configuration settings() {
    Configuration settings = new Configuration();
    settings.set(RestOptions.BIND_ADDRESS, "127.0.0.1");
    settings.set(RestOptions.ADDRESS, "127.0.0.1");
    settings.set(RestOptions.BIND_PORT, "0");
    settings.set(CheckpointingOptions.CHECKPOINT_STORAGE, "filesystem");
    settings.set(CheckpointingOptions.CHECKPOINTS_DIRECTORY, folder.toUri().toString());
    return settings;
  }

  @Test
  void restAddress_ofARunningJob_tellsItsCheckpoints() throws Exception {
    EmbeddedFlink flink = new EmbeddedFlink();
    StreamExecutionEnvironment env = flink.environment(1, settings());
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
    // One that falls into the start of the tasks may fail.
    SavedState.Checkpoints checkpoints = told.get();
    assertThat(checkpoints.seconds().longest()).isGreaterThanOrEqualTo(checkpoints.seconds().p99());
    assertThat(checkpoints.seconds().p99()).isGreaterThanOrEqualTo(checkpoints.seconds().median());
    assertThat(checkpoints.stateBytes().last()).isPositive();
    assertThat(checkpoints.writtenBytes().most()).isPositive();
    job.cancel().get(60, TimeUnit.SECONDS);
  }

  @Test
  void restAddress_withoutAJob_isRefused() {
    assertThatThrownBy(() -> new EmbeddedFlink().restAddress())
        .isInstanceOf(IOException.class)
        .hasMessageContaining("no job was submitted");
  }
}
