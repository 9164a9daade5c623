package io.idlalayer.datacontroller.evaluation;

import io.idlalayer.middleware.sample.LifeStage;

/**
 * The move of a sample from one life stage to another.
 *
 * @param before its stage before
 * @param after its stage now
 * @param score what decided
 * @param contribution its contribution, smoothed
 * @param cause why
 */
public record StageMove(
    long sampleId,
    LifeStage before,
    LifeStage after,
    float score,
    float contribution,
    Cause cause) {
  /** The causes of a move. */
  public enum Cause {
    /** The sample's score passed a border. */
    SCORE,
    /** The sample had outlying losses again and again, and no update learned anything from it. */
    NOISE,
    /** No update has trained on the sample for long. */
    AGE,
    /** The model knew the sample before it was trained. */
    KNOWN,
    /** The weight of the sample is 0, so that it was not trained. */
    WEIGHTLESS
  }
}
