package io.idlalayer.middleware.embedding.loops;

/**
 * The arithmetic on the numbers of a row, each number by itself. All implementations give the same
 * bits, except those of a NaN: they round after each operation, and never fuse a multiplication
 * with an addition. Each array comes with the index of its first number. The ranges of one call do
 * not overlap. Implementations have no state, so any thread may use them. {@link ProcessLoops} has
 * the implementation of this process.
 */
public interface RowLoops {
  /** Constants of the updaters, as in Deeplearning4j. */
  float ADAGRAD_EPSILON = 1e-6f;

  double MEAN_DECAY = 0.9;
  double SPREAD_DECAY = 0.999;
  float ADAM_EPSILON = 1e-8f;

  /** What the log says of them. */
  String description();

  /**
   * Returns whether rows of this length are computed faster if all operands have the same index.
   * Callers then copy them to equal indexes.
   */
  boolean prefersEqualIndexes(int count);

  /** {@code columns += share * numbers}. */
  void add(float[] numbers, int from, float[] columns, int to, int count, float share);

  /** {@code weights -= rate * gradient}. */
  void descend(float[] weights, int at, float[] gradient, int from, int count, float rate);

  /**
   * Adagrad (Duchi 2011).
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
   * Adam (Kingma 2015).
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
