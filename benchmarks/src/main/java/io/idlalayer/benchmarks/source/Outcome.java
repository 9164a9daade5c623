package io.idlalayer.benchmarks.source;

/**
 * What a run has come to.
 *
 * @param elapsedSeconds from the first arrival to the publication that has the last sample
 * @param lastWaitSeconds from the last arrival to that publication
 * @param meanWaitSeconds mean from arrival to publication, over all samples
 * @param trainingSeconds time of all trainings on the machine of the run
 * @param otherSeconds processor time of the learner's other thread: storing, choosing, deciding
 * @param cost waiting of all samples plus weight times training seconds
 * @param quality what the application's samples have come to
 */
record Outcome(
    double elapsedSeconds,
    double lastWaitSeconds,
    double meanWaitSeconds,
    int updates,
    double trainingSeconds,
    double otherSeconds,
    double cost,
    Quality quality) {
  /**
   * @param right share of right predictions, each made before its sample trained; NaN for ranks
   * @param loss mean of -ln p(label); of ranks, the mean distance to the true ones
   */
  record Quality(double right, double loss) {
    /** Geometric mean of 1 / p(label). */
    double perplexity() {
      return Math.exp(loss);
    }
  }
}
