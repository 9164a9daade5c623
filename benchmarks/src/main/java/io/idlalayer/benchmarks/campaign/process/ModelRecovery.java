package io.idlalayer.benchmarks.campaign.process;

/**
 * Knows from outside since when a job that is started again has a model to go on from. A checkpoint
 * does not tell what is in it, so this is careful: it says yes only if the job published, and then
 * completed two checkpoints without having been started again. The first of the two may have been
 * begun before the version; the second was not, because there is one at a time. Whatever the job
 * completes later was made from that state.
 */
final class ModelRecovery {
  /** From the start of a job to its first version; it may have come before a checkpoint. */
  static final long START_NANOS = 15_000_000_000L;

  private int versionsAtStart;
  private int recoveryPoints;
  private int completedSinceVersion;
  private boolean certain;
  private long certainNanos;

  /** The job was started, or may have been started again by itself. */
  void started(int versions) {
    versionsAtStart = versions;
    completedSinceVersion = 0;
  }

  /**
   * What is there now.
   *
   * @param points checkpoints and savepoints that were ever seen complete
   * @param versions versions that were ever seen
   */
  void looked(int points, int versions, long nowNanos) {
    int completed = points - recoveryPoints;
    recoveryPoints = points;
    if (certain || completed == 0 || versions == versionsAtStart) {
      return;
    }
    completedSinceVersion += completed;
    if (completedSinceVersion > 1) {
      certain = true;
      certainNanos = nowNanos;
    }
  }

  /** Returns whether the current publisher had a model to continue from when it was started. */
  boolean certain(long nowNanos) {
    return certain && nowNanos - certainNanos > START_NANOS;
  }
}
