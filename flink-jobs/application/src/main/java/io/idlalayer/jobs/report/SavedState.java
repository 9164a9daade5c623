package io.idlalayer.jobs.report;

import org.jspecify.annotations.Nullable;

/**
 * The recovery point that a run started from, and the state that it saved for the next run.
 *
 * @param start null if another process started the job
 * @param checkpoints null if Flink did not say
 * @param savepoint null if none was taken at the end
 */
public record SavedState(
    @Nullable Start start, @Nullable Checkpoints checkpoints, @Nullable Savepoint savepoint) {

  /**
   * The recovery point that a run started from, and how long its start took.
   *
   * @param from path of the recovery point, relative to the work directory; null if the run started
   *     without state
   * @param bytes size of the recovery point, 0 if there is none
   * @param seconds seconds from the start of the command until the first learner reported that it
   *     had its state
   */
  public record Start(@Nullable String from, long bytes, double seconds) {}

  /**
   * The checkpoints of a job, since its process or cluster took it over.
   *
   * @param completed number of completed checkpoints, savepoints included
   * @param seconds durations from trigger to completion; null if no checkpoint was completed, apart
   *     from savepoints
   * @param stateBytes size of the whole state in a checkpoint
   * @param writtenBytes bytes that a checkpoint wrote itself
   */
  public record Checkpoints(
      long completed,
      long failed,
      @Nullable Seconds seconds,
      @Nullable Bytes stateBytes,
      @Nullable Bytes writtenBytes) {}

  /** Durations of the completed checkpoints. */
  public record Seconds(double last, double median, double p99, double longest) {}

  /** Sizes of the completed checkpoints. */
  public record Bytes(long last, long median, long p99, long most) {}

  /** The savepoint at the end of a run. */
  public record Savepoint(double seconds, long bytes) {}
}
