package io.idlalayer.jobs.run;

import io.idlalayer.jobs.checkpoint.CheckpointWatch;
import io.idlalayer.jobs.recovery.RecoveryPoints;
import io.idlalayer.jobs.rest.RestAccess;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.ExternalizedCheckpointRetention;
import org.apache.flink.configuration.JobManagerOptions;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.configuration.WebOptions;
import org.apache.flink.core.execution.CheckpointingMode;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of Flink for the product's state: incremental RocksDB on the slow directory.
 */
public final class FlinkSettings {
  /**
   * Time between two checkpoints, long enough that flushing state for them costs little ingestion.
   */
  public static final Duration CHECKPOINT_INTERVAL = Duration.ofSeconds(10);

  private static final String LOOPBACK = "127.0.0.1";
  private static final int REST_BYTES = 1 << 20;
  private static final int RESTARTS = 10;
  private static final Duration RESTART_DELAY = Duration.ofSeconds(2);

  private static final String ROCKS_DIRECTORY = "state.backend.rocksdb.localdir";
  private static final String BLOCKS_OF_FILTERS =
      "state.backend.rocksdb.memory.partitioned-index-filters";

  /**
   * Settings that users are allowed to replace, because large and small states need different
   * shares of RocksDB's memory.
   */
  private static final Set<String> REPLACEABLE =
      Set.of(TaskManagerOptions.MANAGED_MEMORY_SIZE.key(), BLOCKS_OF_FILTERS);

  /** Settings with addresses of a job's state. Each job sets them itself. */
  private static final Set<String> ADDRESSES =
      Set.of(
          ROCKS_DIRECTORY,
          CheckpointingOptions.CHECKPOINTS_DIRECTORY.key(),
          CheckpointingOptions.SAVEPOINT_DIRECTORY.key(),
          StateRecoveryOptions.SAVEPOINT_PATH.key());

  private FlinkSettings() {}

  /**
   * The addresses at which a job stores its state.
   *
   * @param rocksDirectory absolute path of the folder of RocksDB's working files; null if the
   *     configuration of each process of the cluster names a folder
   * @param recoverFrom checkpoint or savepoint to start from, null to start without state
   */
  public record Storage(
      String checkpoints,
      String savepoints,
      @Nullable String rocksDirectory,
      @Nullable String recoverFrom) {}

  /** Returns the settings that every job needs, embedded or on a cluster. */
  public static Configuration configuration(Storage storage) {
    Configuration conf = ofEveryJob();
    if (storage.rocksDirectory() != null) {
      conf.setString(ROCKS_DIRECTORY, storage.rocksDirectory());
    }
    conf.set(CheckpointingOptions.CHECKPOINTS_DIRECTORY, storage.checkpoints());
    conf.set(CheckpointingOptions.SAVEPOINT_DIRECTORY, storage.savepoints());
    if (storage.recoverFrom() != null) {
      conf.set(StateRecoveryOptions.SAVEPOINT_PATH, storage.recoverFrom());
    }
    return conf;
  }

  /** Returns the settings of a job without the addresses of its state. */
  private static Configuration ofEveryJob() {
    Configuration conf = new Configuration();
    conf.set(StateBackendOptions.STATE_BACKEND, "rocksdb");
    // Snappy, the default, costs 20 us of flush CPU per KB here.
    conf.setString("state.backend.rocksdb.compression.per.level", "LZ4_COMPRESSION");
    // New ids are not in the state. Without filters, every file would be searched for them.
    conf.setString("state.backend.rocksdb.use-bloom-filter", "true");
    // Filters and indexes are divided into blocks of 4 KiB. Otherwise the filter and the index of a
    // file are one block each, of a megabyte or more. Each search would read some of these large
    // blocks as soon as the block cache cannot hold them all.
    conf.setString(BLOCKS_OF_FILTERS, "true");
    // At the default level, RocksDB logs every flush, which takes up to 100 MB in each subtask's
    // folder and is never read. At the level of warnings, it logs two warnings at every checkpoint.
    conf.setString("state.backend.rocksdb.log.level", "ERROR_LEVEL");
    conf.setString("state.backend.rocksdb.options-factory", RocksDbOptions.class.getName());
    conf.setString("state.backend.rocksdb.timer-service.factory", "HEAP");
    conf.set(CheckpointingOptions.INCREMENTAL_CHECKPOINTS, true);
    conf.set(CheckpointingOptions.CHECKPOINT_STORAGE, "filesystem");
    conf.set(CheckpointingOptions.MAX_RETAINED_CHECKPOINTS, RecoveryPoints.RETAINED);
    conf.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, CHECKPOINT_INTERVAL);
    conf.set(CheckpointingOptions.CHECKPOINTING_CONSISTENCY_MODE, CheckpointingMode.EXACTLY_ONCE);
    conf.set(
        CheckpointingOptions.EXTERNALIZED_CHECKPOINT_RETENTION,
        ExternalizedCheckpointRetention.RETAIN_ON_CANCELLATION);
    conf.set(CheckpointingOptions.TOLERABLE_FAILURE_NUMBER, failures(CheckpointWatch.TOLERATED));
    conf.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
    conf.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, RESTARTS);
    conf.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, RESTART_DELAY);
    return conf;
  }

  /**
   * Lets a job continue without checkpoints for at least the given time. Flink can only limit the
   * number of failed checkpoints, so the limit is set to twice the number of checkpoints in this
   * time. If a process follows the run, {@link CheckpointWatch} ends the run before Flink restarts
   * the job.
   */
  public static void tolerate(Configuration conf, Duration withoutCheckpoint) {
    conf.set(CheckpointingOptions.TOLERABLE_FAILURE_NUMBER, failures(withoutCheckpoint));
  }

  /** Returns a little more than twice the number of checkpoints that Flink begins in a time. */
  private static int failures(Duration time) {
    return Math.toIntExact(2 * time.dividedBy(CHECKPOINT_INTERVAL) + 1);
  }

  /**
   * Adds settings of Flink that a user requests to the settings of the job. Settings for RocksDB's
   * memory replace the product's defaults.
   *
   * @throws IOException naming every other requested setting that iDlaLayer sets itself
   */
  public static Configuration with(Configuration settled, Map<String, String> asked)
      throws IOException {
    List<String> taken = new ArrayList<>();
    Configuration both = new Configuration(settled);
    asked.forEach(
        (key, value) -> {
          boolean own = settled.containsKey(key) || ADDRESSES.contains(key);
          if (own && !REPLACEABLE.contains(key)) {
            taken.add(key);
          }
          both.setString(key, value);
        });
    refuse(taken);
    return both;
  }

  /**
   * Refuses settings for the processes of a cluster that each job sets itself, because Flink would
   * ignore them.
   *
   * @throws IOException with the names of all of them
   */
  public static void refuseThoseOfJobs(Map<String, String> asked) throws IOException {
    Map<String, String> ofJobs = configuration(new Storage("", "", "", "")).toMap();
    refuse(asked.keySet().stream().filter(ofJobs::containsKey).toList());
  }

  private static void refuse(List<String> taken) throws IOException {
    if (!taken.isEmpty()) {
      throw new IOException(
          "iDlaLayer sets these settings of Flink itself; leave out -D for %s"
              .formatted(String.join(", ", new TreeSet<>(taken))));
    }
  }

  /**
   * Returns the settings of an embedded Flink whose job is not known yet. The job brings the
   * addresses of its state.
   */
  public static Configuration embedded(Path temporary) {
    return embedded(ofEveryJob(), temporary);
  }

  /**
   * Adds the settings of an embedded Flink: memory of the TaskManager in this process, every socket
   * on the loopback address, a REST server that can only be read, temporary files in the work
   * directory.
   */
  public static Configuration embedded(Configuration conf, Path temporary) {
    Configuration embedded = new Configuration(conf);
    embedded.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MemorySize.ofMebiBytes(256));
    embedded.set(TaskManagerOptions.NETWORK_MEMORY_MIN, MemorySize.ofMebiBytes(32));
    embedded.set(TaskManagerOptions.NETWORK_MEMORY_MAX, MemorySize.ofMebiBytes(32));
    embedded.set(CoreOptions.TMP_DIRS, temporary.toString());
    embedded.set(RestOptions.ADDRESS, LOOPBACK);
    embedded.set(RestOptions.BIND_ADDRESS, LOOPBACK);
    embedded.set(RestOptions.BIND_PORT, "0");
    embedded.set(JobManagerOptions.ADDRESS, LOOPBACK);
    embedded.set(JobManagerOptions.BIND_HOST, LOOPBACK);
    embedded.set(TaskManagerOptions.HOST, LOOPBACK);
    embedded.set(TaskManagerOptions.BIND_HOST, LOOPBACK);
    embedded.set(WebOptions.SUBMIT_ENABLE, false);
    embedded.set(WebOptions.CANCEL_ENABLE, false);
    embedded.set(WebOptions.TMP_DIR, temporary.toString());
    embedded.set(WebOptions.UPLOAD_DIR, temporary.toString());
    RestAccess.settings(null).forEach(embedded::setString);
    // Clients send only requests that read to this server.
    embedded.set(RestOptions.SERVER_MAX_CONTENT_LENGTH, REST_BYTES);
    return embedded;
  }
}
