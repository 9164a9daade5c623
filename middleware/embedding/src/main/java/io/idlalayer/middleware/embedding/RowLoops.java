package io.idlalayer.middleware.embedding;

/**
 * What is computed for the numbers of a row, each number by itself. All implementations give the
 * same bits, those of a NaN aside: they round after each operation, so no multiplication is fused
 * with an addition. Each array comes with the index of its first number; what is read and written
 * in one call does not overlap. An implementation keeps nothing between calls, so any thread may
 * use it. {@link ProcessLoops} has the one of this process.
 */
interface RowLoops {
  /** Constants of the updaters, as in Deeplearning4j. */
  float ADAGRAD_EPSILON = 1e-6f;

  double MEAN_DECAY = 0.9;
  double SPREAD_DECAY = 0.999;
  float ADAM_EPSILON = 1e-8f;

  /** What they are, for people. */
  String description();

  /**
   * Whether rows of so many numbers are computed faster if all operands have the same index. {@link
   * RowSum} and {@link RowStep} then copy them to where they have.
   */
  boolean prefersEqualIndexes(int count);

  /** {@code columns += share * numbers}. */
  void add(float[] numbers, int from, float[] columns, int to, int count, float share);

  /** {@code weights -= rate * gradient}. */
  void descend(float[] weights, int at, float[] gradient, int from, int count, float rate);

  /**
   * Adagrad (Duchi 2011).
   *
   * @param sums of squared gradients
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
