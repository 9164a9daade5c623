package io.idlalayer.datacontroller.store;

/**
 * The values that evaluations have measured for a sample so far.
 *
 * @param contribution smoothed raw contribution in the unit of its mode, at least 0
 * @param score classification score of the last evaluation
 * @param loss last known loss; NaN when never measured
 * @param gradientNorm last known bound of the sample's gradient norm; NaN when never measured
 * @param reducibleLoss smoothed difference of the loss and the loss with the held-out model; NaN
 *     when never measured
 * @param contributionRank rank of its contribution in the last evaluation, 0 to 1
 * @param lossRank rank of its loss in the last evaluation, 0 to 1
 */
public record Measures(
    float contribution,
    float score,
    float loss,
    float gradientNorm,
    float reducibleLoss,
    float contributionRank,
    float lossRank) {
  /** The measures of a sample that was never measured. */
  public static final Measures NONE =
      new Measures(0, 0, Float.NaN, Float.NaN, Float.NaN, 0.5f, 0.5f);
}
