package io.idlalayer.middleware.embedding.loops;

/**
 * The element-wise arithmetic on the numbers of embedding rows. All implementations give the same
 * bits, except those of a NaN: they round after each operation, and never fuse a multiplication
 * with an addition. Each array comes with the index of its first number. The ranges of one call do
 * not overlap. Implementations have no state, so any thread may use them. {@link ProcessLoops} has
 * the implementation of this process.
 */
public interface RowLoops {
  /**
   * Small number that keeps the divisor of Adagrad above 0, as in Deeplearning4j; the next
   * constants are those of Adam.
   */
  float ADAGRAD_EPSILON = 1e-6f;

  double MEAN_DECAY = 0.9;
  double SPREAD_DECAY = 0.999;
  float ADAM_EPSILON = 1e-8f;

  /** Returns a description of these loops for the log, for example the width of their registers. */
  String description();

  /**
   * Returns whether rows of this length are computed faster if all operands have the same index.
   * Callers then copy them to equal indexes.
   */
  boolean prefersEqualIndexes(int count);

  /** Adds a row, multiplied by a factor, to columns: {@code columns += share * numbers}. */
  void add(float[] numbers, int from, float[] columns, int to, int count, float share);

  /** Makes a step of gradient descent: {@code weights -= rate * gradient}. */
  void descend(float[] weights, int at, float[] gradient, int from, int count, float rate);

  /**
   * Makes a step of Adagrad (Duchi 2011).
   *
   * @param sums running sums of squared gradients
   */
  void adagrad(
      float[] weights,
      int at,
      float[] sums,
      int sumsAt,
      float[] gradient,
      int from,
      int count,
      float rate);

  /**
   * Makes a step of Adam (Kingma 2015).
   *
   * @param rate corrected by the number of updates
   */
  void adam(
      float[] weights,
      int at,
      float[] means,
      int meansAt,
      float[] spreads,
      int spreadsAt,
      float[] gradient,
      int from,
      int count,
      float rate);
}
