package io.idlalayer.middleware.embedding.plan;

/**
 * The optimizers that change a row's weights by their gradient, with the state that each keeps in
 * the row.
 */
public enum RowUpdater {
  /** Stochastic gradient descent; keeps no state. */
  SGD,
  /** Adagrad (Duchi 2011); keeps the sum of squared gradients of each weight. */
  ADAGRAD,
  /**
   * Row-wise Adagrad (Mudigere 2022); keeps one sum for the whole row, of the mean squared
   * gradient.
   */
  ROW_WISE_ADAGRAD,
  /**
   * Adam (Kingma 2015); keeps two moments of each weight. A row's step is the number of its own
   * updates, not of the network's.
   */
  ADAM;

  /** Returns the number of floats of the state of a row with this many weights. */
  public int stateLength(int weights) {
    return switch (this) {
      case SGD -> 0;
      case ADAGRAD -> weights;
      case ROW_WISE_ADAGRAD -> 1;
      case ADAM -> 2 * weights;
    };
  }
}
