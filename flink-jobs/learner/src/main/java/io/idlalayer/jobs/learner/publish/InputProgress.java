package io.idlalayer.jobs.learner.publish;

/**
 * The progress of a learner in its input at one moment.
 *
 * @param lostOffsets offsets whose records were lost before they were read, in the whole lineage
 * @param nothingToTrain whether no sample waits for training and none trains
 * @param ending whether the end of the input was received
 */
public record InputProgress(long lostOffsets, boolean nothingToTrain, boolean ending) {
  /** Returns whether the input has ended and the learner has learned all of it. */
  boolean ended() {
    return ending && nothingToTrain;
  }
}
