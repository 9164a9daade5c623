package io.idlalayer.middleware.embedding.plan;

/** How a row's weights follow their gradient. */
public enum RowUpdater {
  /** No state. */
  SGD,
  /** The sum of squared gradients of each weight (Duchi 2011). */
  ADAGRAD,
  /** One sum for the row, of the mean squared gradient (Mudigere 2022). */
  ROW_WISE_ADAGRAD,
  /**
   * Two moments of each weight (Kingma 2015). A row's step is the number of its own updates, not of
   * the network's.
   */
  ADAM;

  /** Length of the state of a row with this many weights. */
  public int stateLength(int weights) {
    return switch (this) {
      case SGD -> 0;
      case ADAGRAD -> weights;
      case ROW_WISE_ADAGRAD -> 1;
      case ADAM -> 2 * weights;
    };
  }
}
