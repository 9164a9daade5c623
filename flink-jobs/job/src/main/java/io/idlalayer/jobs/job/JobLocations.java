package io.idlalayer.jobs.job;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The locations that a job reads from and writes to.
 *
 * @param bootstrapServers Kafka servers, "host:port,..."
 * @param workDirectory absolute folder for checkpoints, RocksDB's working files and models
 * @param consumerGroup Kafka group that shows the job's progress; Flink keeps the positions itself
 * @param predictions file of what is predicted for new events, null for none
 */
public record JobLocations(
    String bootstrapServers, Path workDirectory, String consumerGroup, @Nullable Path predictions) {
  public JobLocations {
    workDirectory = workDirectory.toAbsolutePath().normalize();
  }

  /**
   * Returns the folder of RocksDB's working files, unless the application names a slow directory.
   */
  public Path state() {
    return workDirectory.resolve("state");
  }

  /**
   * Returns the folder of tensors that are not in DRAM, unless the application names a slow
   * directory for them.
   */
  public Path tensors() {
    return workDirectory.resolve("tensors");
  }

  /** Returns the folder of files that no later start needs. */
  public Path temporary() {
    return workDirectory.resolve("tmp");
  }

  public Path models() {
    return workDirectory.resolve("models");
  }
}
