package io.idlalayer.datacontroller.selection;

/**
 * Estimates how much a model can learn from a sample that was not trained yet, by comparing its
 * prequential loss l with the mean loss m (closeness to the decision threshold, Chang 2017, section
 * 3.3, but without the history of the sample, because a new sample has none).
 *
 * <p>With q = 2^(-l/m), which for a classifier is the probability of the label, relative to the
 * usual probability, the sample trains with probability {@code 0.15 + 5 q (1 - q)}, at most 1: most
 * samples that the model knows already are not trained, and all samples about which the model is
 * unsure are trained. While the loss rises, all samples that the model predicts very badly (q below
 * 0.3) are trained, because they indicate a change. While the loss is steady, these samples
 * possibly have wrong labels, so the formula applies to them too.
 */
final class TrainingProbability {
  private static final double FLOOR = 0.15;
  private static final double SLOPE = 5;
  private static final double WRONG = 0.3;

  private TrainingProbability() {}

  /**
   * Returns the probability with which a new sample trains, in [0.15, 1].
   *
   * @param loss prequential loss, at least 0; NaN if it is unknown, in which case the sample is
   *     trained
   */
  static double chance(float loss, LossTrend trend) {
    if (Float.isNaN(loss) || trend.young() || trend.mean() <= 0) {
      return 1;
    }
    double q = Math.pow(2, -loss / trend.mean());
    if (q < WRONG && trend.rising()) {
      return 1;
    }
    return Math.min(1, FLOOR + SLOPE * q * (1 - q));
  }
}
