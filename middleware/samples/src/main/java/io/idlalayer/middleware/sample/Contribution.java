package io.idlalayer.middleware.sample;

/**
 * Measurements of one sample's contribution to one update: its losses before and after, and the
 * norm of its gradient.
 *
 * @param lossBefore loss before the update; NaN if not measured
 * @param lossAfter loss with the updated model, or right before the last step of the update that
 *     trained the sample; NaN if not measured
 * @param gradientNorm bound of the norm of the gradient of the sample's weighted loss, measured at
 *     the same time as {@code lossAfter}, up to a factor that is equal for all samples
 *     (Katharopoulos 2018); NaN if not measured
 * @param heldOutLoss loss with a model that was trained only on other samples (Mindermann 2022);
 *     NaN if not measured
 * @param weight importance weight of the sample; the losses do not contain this weight
 */
public record Contribution(
    long sampleId,
    float lossBefore,
    float lossAfter,
    float gradientNorm,
    float heldOutLoss,
    float weight) {
  /** Creates a contribution of a sample with weight 1. */
  public Contribution(
      long sampleId, float lossBefore, float lossAfter, float gradientNorm, float heldOutLoss) {
    this(sampleId, lossBefore, lossAfter, gradientNorm, heldOutLoss, 1);
  }

  /** Creates a contribution for which only the losses were measured. */
  public Contribution(long sampleId, float lossBefore, float lossAfter) {
    this(sampleId, lossBefore, lossAfter, Float.NaN, Float.NaN);
  }
}
