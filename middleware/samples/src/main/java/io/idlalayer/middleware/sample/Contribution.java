package io.idlalayer.middleware.sample;

/**
 * Measurements of one sample's contribution to one update: its losses before and after, and the
 * norm of its gradient.
 *
 * @param lossBefore loss before the update; NaN if not measured
 * @param lossAfter loss under the updated model, or right before the sample's last step of the
 *     update; NaN if not measured
 * @param gradientNorm bound of the norm of the gradient of the sample's weighted loss, measured
 *     where the loss after is, up to a factor that all samples share (Katharopoulos 2018); NaN if
 *     not measured
 * @param heldOutLoss loss under a model that was trained on other samples only (Mindermann 2022);
 *     NaN if not measured
 * @param weight importance weight of the sample; losses are those of an equal sample of weight 1
 */
public record Contribution(
    long sampleId,
    float lossBefore,
    float lossAfter,
    float gradientNorm,
    float heldOutLoss,
    float weight) {
  /** Creates a contribution of a sample of weight 1. */
  public Contribution(
      long sampleId, float lossBefore, float lossAfter, float gradientNorm, float heldOutLoss) {
    this(sampleId, lossBefore, lossAfter, gradientNorm, heldOutLoss, 1);
  }

  /** Creates a contribution for which only the losses were measured. */
  public Contribution(long sampleId, float lossBefore, float lossAfter) {
    this(sampleId, lossBefore, lossAfter, Float.NaN, Float.NaN);
  }
}
