package io.idlalayer.benchmarks.quality;

/**
 * The costs of a run.
 *
 * @param trainCpuSeconds processor time of the trainer, including failed trainings
 * @param trainWallSeconds duration of the trainings by a monotonic clock
 * @param choiceCpuSeconds processor time of the learner in the steps with a training, without
 *     training and scoring: for choosing, loading and evaluating samples, writing state, and
 *     publishing
 * @param updates number of trainings that ended
 * @param trainedRows number of rows of all trainings, new and replayed
 * @param replayedRows number of replayed rows among the trained rows
 */
record RunCosts(
    double trainCpuSeconds,
    double trainWallSeconds,
    double choiceCpuSeconds,
    int updates,
    long trainedRows,
    long replayedRows) {}
