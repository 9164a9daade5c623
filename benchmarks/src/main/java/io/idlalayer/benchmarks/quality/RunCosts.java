package io.idlalayer.benchmarks.quality;

/**
 * What a run spent.
 *
 * @param trainCpuSeconds processor time of the trainer
 * @param trainWallSeconds duration of the trainings by a monotonic clock
 * @param choiceCpuSeconds processor time of choosing, loading and evaluating samples
 * @param updates trainings that ended
 * @param trainedRows rows of all trainings, new and replayed
 * @param replayedRows of these, replayed ones
 */
record RunCosts(
    double trainCpuSeconds,
    double trainWallSeconds,
    double choiceCpuSeconds,
    int updates,
    long trainedRows,
    long replayedRows) {
  static final RunCosts NONE = new RunCosts(0, 0, 0, 0, 0, 0);
}
