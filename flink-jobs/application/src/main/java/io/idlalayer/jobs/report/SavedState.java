package io.idlalayer.jobs.report;

import org.jspecify.annotations.Nullable;

/**
 * From what a run went on, and what it saved so that the next one can.
 *
 * @param start null if somebody else started the job
 * @param checkpoints null if Flink did not say
 * @param savepoint null if none was taken at the end
 */
public record SavedState(
    @Nullable Start start, @Nullable Checkpoints checkpoints, @Nullable Savepoint savepoint) {

  /**
   * The start of a run.
   *
   * @param from the recovery point, a path from the work directory on; null if it began from
   *     nothing
   * @param bytes of the recovery point, 0 if there is none
   * @param seconds from the command's start until the first learner had its state and said so
   */
  public record Start(@Nullable String from, long bytes, double seconds) {}

  /**
   * The checkpoints of a job, since its process or cluster took it over.
   *
   * @param completed with savepoints
   * @param seconds from trigger to completion; null if none was completed, or savepoints only
   * @param stateBytes of the whole state that a checkpoint stands for
   * @param writtenBytes of that, those that a checkpoint had to write
   */
  public record Checkpoints(
      long completed,
      long failed,
      @Nullable Seconds seconds,
      @Nullable Bytes stateBytes,
      @Nullable Bytes writtenBytes) {}

  /** Of the checkpoints that were completed. */
  public record Seconds(double last, double median, double p99, double longest) {}

  /** Of the checkpoints that were completed. */
  public record Bytes(long last, long median, long p99, long most) {}

  /** The savepoint at the end. */
  public record Savepoint(double seconds, long bytes) {}
}
