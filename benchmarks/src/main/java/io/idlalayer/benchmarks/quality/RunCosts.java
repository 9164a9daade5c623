package io.idlalayer.benchmarks.quality;

/**
 * The costs of a run.
 *
 * @param trainCpuSeconds processor time of the trainer, failed trainings included
 * @param trainWallSeconds duration of the trainings by a monotonic clock
 * @param choiceCpuSeconds processor time of the learner in the steps with a training, without
 *     training and scoring: choosing, loading and evaluating samples, writing state, publishing
 * @param updates number of trainings that ended
 * @param trainedRows number of rows of all trainings, new and replayed
 * @param replayedRows number of replayed rows among them
 */
record RunCosts(
    double trainCpuSeconds,
    double trainWallSeconds,
    double choiceCpuSeconds,
    int updates,
    long trainedRows,
    long replayedRows) {}
