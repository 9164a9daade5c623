package io.idlalayer.datacontroller.selection;

/**
 * Estimates how much a model can learn from a sample that was not trained yet, by comparing its
 * prequential loss l with the mean loss m (closeness to the decision threshold, Chang 2017, section
 * 3.3, without its history: a new sample has none).
 *
 * <p>With q = 2^(-l/m), which for a classifier is the probability of the label on the scale of what
 * the model is used to, the sample trains with probability {@code 0.15 + 5 q (1 - q)}, at most 1:
 * most samples that the model knows already do not train, and all about which it is unsure do.
 * Samples that it gets quite wrong (q below 0.3) all train while the loss rises, because they
 * indicate a change. In steady times they may as well have wrong labels, so the formula applies to
 * them too.
 */
final class TrainingProbability {
  private static final double FLOOR = 0.15;
  private static final double SLOPE = 5;
  private static final double WRONG = 0.3;

  private TrainingProbability() {}

  /**
   * Returns the probability with which a new sample trains, in [0.15, 1].
   *
   * @param loss prequential loss, at least 0; NaN if unknown, and then it trains
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
