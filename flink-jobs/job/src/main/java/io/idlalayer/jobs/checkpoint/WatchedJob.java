package io.idlalayer.jobs.checkpoint;

import io.idlalayer.jobs.recovery.RunFolder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * The view of a job that a watch of checkpoints has, and the actions that it can request, wherever
 * the job runs.
 */
public interface WatchedJob {
  /**
   * Returns what Flink counts.
   *
   * @throws IOException if Flink does not answer
   */
  CheckpointCounts counts() throws IOException, InterruptedException;

  /**
   * Returns the folder of the job's current submission; it is another one after the job was
   * submitted again.
   *
   * @throws IOException if it cannot be found
   */
  RunFolder run() throws IOException;

  /** Returns further folders that checkpoints need: RocksDB's files and temporary files. */
  List<Path> others();

  /**
   * Begins a checkpoint that refers to no file of an earlier one.
   *
   * @throws IOException if Flink refuses it
   */
  void takeWhole() throws IOException, InterruptedException;
}
