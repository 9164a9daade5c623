package io.idlalayer.middleware.embedding.loops;

/**
 * Computes embedding rows with loops in plain Java. The JVM computes several numbers at a time only
 * if the loop reads and writes all arrays at one index; otherwise the JVM must assume that the
 * arrays overlap.
 */
final class PlainRowLoops implements RowLoops {
  /**
   * Least length of a row for which copying the operands to equal indexes makes the loop faster.
   */
  private static final int LONG = 32;

  @Override
  public String description() {
    return "plain loops";
  }

  @Override
  public boolean prefersEqualIndexes(int count) {
    return count >= LONG;
  }

  @Override
  public void add(float[] numbers, int from, float[] columns, int to, int count, float share) {
    for (int i = 0; i < count; i++) {
      columns[to + i] += share * numbers[from + i];
    }
  }

  @Override
  public void descend(float[] weights, int at, float[] gradient, int from, int count, float rate) {
    for (int i = 0; i < count; i++) {
      weights[at + i] -= rate * gradient[from + i];
    }
  }

  @Override
  public void adagrad(
      float[] weights,
      int at,
      float[] sums,
      int sumsAt,
      float[] gradient,
      int from,
      int count,
      float rate) {
    for (int i = 0; i < count; i++) {
      float g = gradient[from + i];
      float sum = sums[sumsAt + i] + g * g;
      sums[sumsAt + i] = sum;
      weights[at + i] -= rate * g / ((float) Math.sqrt(sum) + ADAGRAD_EPSILON);
    }
  }

  @Override
  public void adam(
      float[] weights,
      int at,
      float[] means,
      int meansAt,
      float[] spreads,
      int spreadsAt,
      float[] gradient,
      int from,
      int count,
      float rate) {
    for (int i = 0; i < count; i++) {
      float g = gradient[from + i];
      float mean = (float) MEAN_DECAY * means[meansAt + i] + (float) (1 - MEAN_DECAY) * g;
      float spread =
          (float) SPREAD_DECAY * spreads[spreadsAt + i] + (float) (1 - SPREAD_DECAY) * g * g;
      means[meansAt + i] = mean;
      spreads[spreadsAt + i] = spread;
      weights[at + i] -= rate * mean / ((float) Math.sqrt(spread) + ADAM_EPSILON);
    }
  }
}
