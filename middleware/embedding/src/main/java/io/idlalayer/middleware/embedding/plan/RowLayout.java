package io.idlalayer.middleware.embedding.plan;

import java.io.Serializable;

/**
 * The layout of an embedding row: its weights, then the updater's state.
 *
 * @param weights at least 1
 */
public record RowLayout(int weights, RowUpdater updater) implements Serializable {
  public RowLayout {
    if (weights < 1) {
      throw new IllegalArgumentException("a row needs at least one weight, not " + weights);
    }
  }

  /** Returns the number of floats of a row, weights and state together. */
  public int stride() {
    return weights + updater.stateLength(weights);
  }
}
