package io.idlalayer.datacontroller.evaluation;

import io.idlalayer.middleware.sample.LifeStage;

/**
 * The move of a sample from one life stage to another.
 *
 * @param before previous stage
 * @param after new stage
 * @param score score that decided the move
 * @param contribution smoothed contribution of the sample
 * @param cause cause of the move
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
    /** The weight of the sample is 0, so the sample was not trained. */
    WEIGHTLESS
  }
}
