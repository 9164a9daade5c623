package io.idlalayer.modelcontroller.training;

import io.idlalayer.modelruntime.artifact.FeatureScaler;

/**
 * Thrown if a training has diverged: one of its numbers is no longer finite, or its loss has
 * exploded.
 */
final class DivergedException extends Exception {
  private static final long serialVersionUID = 1L;

  private final transient FeatureScaler scaler;
  private final long[] sampleIds;

  /**
   * @param scaler scaler of the training
   * @param sampleIds ids of the rows that caused the divergence; empty if they are not known yet
   */
  DivergedException(String how, FeatureScaler scaler, long... sampleIds) {
    super(how);
    this.scaler = scaler;
    this.sampleIds = sampleIds;
  }

  FeatureScaler scaler() {
    return scaler;
  }

  long[] sampleIds() {
    return sampleIds;
  }
}
