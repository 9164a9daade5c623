package io.idlalayer.benchmarks.quality;

/**
 * What a run spent.
 *
 * @param trainCpuSeconds processor time of the trainer, failed trainings included
 * @param trainWallSeconds duration of the trainings by a monotonic clock
 * @param choiceCpuSeconds processor time of the learner in the steps with a training, without
 *     training and scoring: choosing, loading and evaluating samples, writing state, publishing
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
    long replayedRows) {}
