package io.idlalayer.jobs.job;

import io.idlalayer.jobs.settings.ApplicationSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ExternalizedCheckpointRetention;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.core.execution.CheckpointingMode;
import org.jspecify.annotations.Nullable;

/** The engine's configuration for our state: incremental RocksDB on the slow directory. */
public final class FlinkSettings {
  /** Long enough that a checkpoint's flush costs little ingestion (state-facts, section 1). */
  public static final Duration CHECKPOINT_INTERVAL = Duration.ofSeconds(10);

  private static final int RESTARTS = 10;
  private static final Duration RESTART_DELAY = Duration.ofSeconds(2);

  private FlinkSettings() {}

  /**
   * What every job needs, embedded or on a cluster.
   *
   * @param recoverFrom checkpoint or savepoint folder to start from, or null for a first start
   */
  public static Configuration configuration(
      JobLocations locations, List<ApplicationSettings> applications, @Nullable Path recoverFrom) {
    Configuration conf = new Configuration();
    conf.set(StateBackendOptions.STATE_BACKEND, "rocksdb");
    conf.setString("state.backend.rocksdb.localdir", localDirectory(locations, applications));
    // Snappy, the default, costs 20 us of flush CPU per KB here (state-facts, section 4).
    conf.setString("state.backend.rocksdb.compression.per.level", "LZ4_COMPRESSION");
    conf.setString("state.backend.rocksdb.timer-service.factory", "HEAP");
    conf.set(CheckpointingOptions.INCREMENTAL_CHECKPOINTS, true);
    conf.set(CheckpointingOptions.CHECKPOINT_STORAGE, "filesystem");
    conf.set(
        CheckpointingOptions.CHECKPOINTS_DIRECTORY, locations.checkpoints().toUri().toString());
    conf.set(CheckpointingOptions.SAVEPOINT_DIRECTORY, locations.savepoints().toUri().toString());
    conf.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, CHECKPOINT_INTERVAL);
    conf.set(CheckpointingOptions.CHECKPOINTING_CONSISTENCY_MODE, CheckpointingMode.EXACTLY_ONCE);
    conf.set(
        CheckpointingOptions.EXTERNALIZED_CHECKPOINT_RETENTION,
        ExternalizedCheckpointRetention.RETAIN_ON_CANCELLATION);
    conf.set(CheckpointingOptions.TOLERABLE_FAILURE_NUMBER, 3);
    conf.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
    conf.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, RESTARTS);
    conf.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, RESTART_DELAY);
    if (recoverFrom != null) {
      conf.set(StateRecoveryOptions.SAVEPOINT_PATH, recoverFrom.toUri().toString());
    }
    return conf;
  }

  /** Adds what an embedded Flink needs: memory and slots of the TaskManager in this process. */
  public static Configuration embedded(Configuration conf) {
    Configuration embedded = new Configuration(conf);
    embedded.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MemorySize.ofMebiBytes(256));
    embedded.set(TaskManagerOptions.NETWORK_MEMORY_MIN, MemorySize.ofMebiBytes(32));
    embedded.set(TaskManagerOptions.NETWORK_MEMORY_MAX, MemorySize.ofMebiBytes(32));
    return embedded;
  }

  /**
   * RocksDB's folder: the slow directory that the applications name, else one in the work folder.
   */
  public static String localDirectory(
      JobLocations locations, List<ApplicationSettings> applications) {
    return applications.stream()
        .map(application -> application.memory().slowDirectory())
        .filter(Objects::nonNull)
        .findFirst()
        .map(directory -> Path.of(directory).toAbsolutePath().toString())
        .orElseGet(() -> locations.state().toString());
  }
}
