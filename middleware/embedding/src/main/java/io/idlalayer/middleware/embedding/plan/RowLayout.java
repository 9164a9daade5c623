package io.idlalayer.middleware.embedding.plan;

import java.io.Serializable;

/**
 * The numbers of a row: its weights, then the updater's state.
 *
 * @param weights at least 1
 */
public record RowLayout(int weights, RowUpdater updater) implements Serializable {
  public RowLayout {
    if (weights < 1) {
      throw new IllegalArgumentException("a row has at least one weight, not " + weights);
    }
  }

  /** Floats of a row. */
  public int stride() {
    return weights + updater.stateLength(weights);
  }
}
