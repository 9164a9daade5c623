package io.idlalayer.datacontroller.evaluation;

import io.idlalayer.middleware.sample.LifeStage;

/**
 * A sample that went to another stage.
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
  /** The cause of a move. */
  public enum Cause {
    /** The sample's score passed a border. */
    SCORE,
    /** An outlying loss, again and again, and nothing learned from it. */
    NOISE,
    /** No update trained the sample for long. */
    AGE,
    /** The model knew it before it was trained. */
    KNOWN
  }
}
