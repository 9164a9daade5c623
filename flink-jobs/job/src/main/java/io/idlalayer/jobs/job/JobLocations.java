package io.idlalayer.jobs.job;

import java.nio.file.Path;

/**
 * Where a job finds and leaves things.
 *
 * @param bootstrapServers Kafka servers, "host:port,..."
 * @param workDirectory absolute folder for checkpoints, RocksDB's working files and models
 * @param consumerGroup Kafka group that shows the job's progress; positions are kept by Flink
 */
public record JobLocations(String bootstrapServers, Path workDirectory, String consumerGroup) {
  public JobLocations {
    workDirectory = workDirectory.toAbsolutePath().normalize();
  }

  /** Working files of RocksDB, unless the application names a slow directory. */
  public Path state() {
    return workDirectory.resolve("state");
  }

  /** Tensors that are not in DRAM, unless the application names a slow directory for them. */
  public Path tensors() {
    return workDirectory.resolve("tensors");
  }

  /** Files that no start needs. */
  public Path temporary() {
    return workDirectory.resolve("tmp");
  }

  public Path models() {
    return workDirectory.resolve("models");
  }
}
