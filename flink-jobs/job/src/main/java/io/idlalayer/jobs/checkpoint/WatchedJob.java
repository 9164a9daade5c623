package io.idlalayer.jobs.checkpoint;

import io.idlalayer.jobs.recovery.RunFolder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * A job as {@link CheckpointWatch} sees it, in whichever place the job runs: facts about the job,
 * and actions that the watch can request.
 */
public interface WatchedJob {
  /**
   * Returns Flink's counts of checkpoints.
   *
   * @throws IOException if Flink does not answer
   */
  CheckpointCounts counts() throws IOException, InterruptedException;

  /**
   * Returns the folder of the job's current submission. After the job was submitted again, this is
   * another folder.
   *
   * @throws IOException if the folder cannot be found
   */
  RunFolder run() throws IOException;

  /** Returns further folders that checkpoints need: RocksDB's files and temporary files. */
  List<Path> others();

  /**
   * Begins a checkpoint that refers to no file of earlier checkpoints.
   *
   * @throws IOException if Flink refuses the checkpoint
   */
  void takeWhole() throws IOException, InterruptedException;
}
