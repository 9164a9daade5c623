package io.idlalayer.jobs.report;

import org.jspecify.annotations.Nullable;

/**
 * The recovery point from which a run started, and the state that the run saved for the next run.
 *
 * @param start null if another process started the job
 * @param checkpoints null if Flink did not report them
 * @param savepoint null if no savepoint was taken at the end
 */
public record SavedState(
    @Nullable Start start, @Nullable Checkpoints checkpoints, @Nullable Savepoint savepoint) {

  /**
   * The recovery point from which a run started, and how long the start took.
   *
   * @param from path of the recovery point, relative to the work directory; null if the run started
   *     without state
   * @param bytes size of the recovery point in bytes, 0 if there is none
   * @param seconds seconds from the start of the command until the first learner reported that it
   *     had restored its state
   */
  public record Start(@Nullable String from, long bytes, double seconds) {}

  /**
   * The checkpoints of a job since its present process or cluster began to run it.
   *
   * @param completed number of completed checkpoints, including savepoints
   * @param seconds durations from trigger to completion; null if no checkpoint was completed, apart
   *     from savepoints
   * @param stateBytes size of the whole state in a checkpoint
   * @param writtenBytes bytes that a checkpoint wrote, without files of earlier checkpoints that it
   *     uses again
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
