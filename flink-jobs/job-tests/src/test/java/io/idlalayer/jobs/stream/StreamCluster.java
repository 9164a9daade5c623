package io.idlalayer.jobs.stream;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.configuration.WebOptions;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/** A cluster of Flink in this process, for one job that may restart twice. */
final class StreamCluster {
  private final Path folder;

  /**
   * @param folder folder of the test; checkpoints and temporary files lie in it
   */
  StreamCluster(Path folder) {
    this.folder = folder;
  }

  private Path temporary() {
    return folder.resolve("temporary");
  }

  /**
   * Returns the environment of a job with two subtasks.
   *
   * @param savepoint where its state comes from; null for none
   */
  StreamExecutionEnvironment environment(@Nullable String savepoint) {
    Configuration settings = new Configuration();
    settings.set(CoreOptions.TMP_DIRS, temporary().toString());
    settings.set(WebOptions.UPLOAD_DIR, temporary().toString());
    settings.set(CheckpointingOptions.CHECKPOINT_STORAGE, "filesystem");
    settings.set(
        CheckpointingOptions.CHECKPOINTS_DIRECTORY,
        folder.resolve("checkpoints").toUri().toString());
    settings.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
    settings.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, 2);
    settings.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, Duration.ofMillis(10));
    if (savepoint != null) {
      settings.set(StateRecoveryOptions.SAVEPOINT_PATH, savepoint);
    }
    StreamExecutionEnvironment env = StreamExecutionEnvironment.createLocalEnvironment(2, settings);
    env.enableCheckpointing(100);
    return env;
  }

  /** Waits until the cluster of a job that has ended has deleted its files. */
  void awaitEnd() {
    Awaitility.await()
        .atMost(2, TimeUnit.MINUTES)
        .until(
            () -> {
              try (Stream<Path> left = Files.list(temporary())) {
                return left.noneMatch(each -> String.valueOf(each).contains("minicluster_"));
              }
            });
  }
}
