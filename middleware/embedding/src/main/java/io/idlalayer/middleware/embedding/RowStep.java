package io.idlalayer.middleware.embedding;

/**
 * Updates one row by its gradient, with Deeplearning4j's constants. The results depend on the
 * numbers alone, not on how a loop is compiled: each weight is computed by itself. One thread.
 */
final class RowStep {
  private static final float ADAGRAD_EPSILON = 1e-6f;
  private static final double MEAN_DECAY = 0.9;
  private static final double SPREAD_DECAY = 0.999;
  private static final float ADAM_EPSILON = 1e-8f;

  private final RowLayout layout;
  private final double learningRate;
  private final int count;

  /** Whether rows are long enough to be copied for their update, see {@link RowSum}. */
  private final boolean copied;

  /** Weights and state of the row that is updated, at the same index as its gradient. */
  private final float[] first;

  private final float[] second;
  private final float[] third;

  RowStep(RowLayout layout, double learningRate) {
    this.layout = layout;
    this.learningRate = learningRate;
    count = layout.weights();
    copied = count >= RowSum.LONG;
    first = new float[copied ? count : 0];
    second = new float[first.length];
    third = new float[first.length];
  }

  /** The same for another thread. */
  RowStep copy() {
    return new RowStep(layout, learningRate);
  }

  /**
   * Updates.
   *
   * @param values holds the row from {@code at} on
   * @param gradient of the row's weights
   * @param step how many updates the row has had with this one
   */
  void apply(float[] values, int at, float[] gradient, int step) {
    switch (layout.updater()) {
      case SGD -> descend(values, at, gradient, (float) learningRate);
      case ADAGRAD -> adagrad(values, at, gradient);
      case ROW_WISE_ADAGRAD -> rowWise(values, at, gradient);
      case ADAM -> adam(values, at, gradient, step);
    }
  }

  private void descend(float[] values, int at, float[] gradient, float rate) {
    if (copied) {
      System.arraycopy(values, at, first, 0, count);
      subtract(first, 0, gradient, rate);
      System.arraycopy(first, 0, values, at, count);
    } else {
      subtract(values, at, gradient, rate);
    }
  }

  private void subtract(float[] weights, int at, float[] gradient, float rate) {
    for (int i = 0; i < count; i++) {
      weights[at + i] -= rate * gradient[i];
    }
  }

  private void adagrad(float[] values, int at, float[] gradient) {
    if (copied) {
      System.arraycopy(values, at, first, 0, count);
      System.arraycopy(values, at + count, second, 0, count);
      adagrad(first, 0, second, 0, gradient);
      System.arraycopy(first, 0, values, at, count);
      System.arraycopy(second, 0, values, at + count, count);
    } else {
      adagrad(values, at, values, at + count, gradient);
    }
  }

  private void adagrad(float[] weights, int at, float[] sums, int sumsAt, float[] gradient) {
    float rate = (float) learningRate;
    for (int i = 0; i < count; i++) {
      float g = gradient[i];
      float sum = sums[sumsAt + i] + g * g;
      sums[sumsAt + i] = sum;
      weights[at + i] -= rate * g / ((float) Math.sqrt(sum) + ADAGRAD_EPSILON);
    }
  }

  private void rowWise(float[] values, int at, float[] gradient) {
    float squares = 0;
    for (int i = 0; i < count; i++) {
      squares += gradient[i] * gradient[i];
    }
    float sum = values[at + count] + squares / count;
    values[at + count] = sum;
    float rate = (float) learningRate / ((float) Math.sqrt(sum) + ADAGRAD_EPSILON);
    descend(values, at, gradient, rate);
  }

  private void adam(float[] values, int at, float[] gradient, int step) {
    float rate =
        (float)
            (learningRate
                * Math.sqrt(1 - Math.pow(SPREAD_DECAY, step))
                / (1 - Math.pow(MEAN_DECAY, step)));
    int means = at + count;
    int spreads = means + count;
    if (copied) {
      System.arraycopy(values, at, first, 0, count);
      System.arraycopy(values, means, second, 0, count);
      System.arraycopy(values, spreads, third, 0, count);
      adam(first, 0, second, 0, third, 0, gradient, rate);
      System.arraycopy(first, 0, values, at, count);
      System.arraycopy(second, 0, values, means, count);
      System.arraycopy(third, 0, values, spreads, count);
    } else {
      adam(values, at, values, means, values, spreads, gradient, rate);
    }
  }

  private void adam(
      float[] weights,
      int at,
      float[] means,
      int meansAt,
      float[] spreads,
      int spreadsAt,
      float[] gradient,
      float rate) {
    for (int i = 0; i < count; i++) {
      float g = gradient[i];
      float mean = (float) MEAN_DECAY * means[meansAt + i] + (float) (1 - MEAN_DECAY) * g;
      float spread =
          (float) SPREAD_DECAY * spreads[spreadsAt + i] + (float) (1 - SPREAD_DECAY) * g * g;
      means[meansAt + i] = mean;
      spreads[spreadsAt + i] = spread;
      weights[at + i] -= rate * mean / ((float) Math.sqrt(spread) + ADAM_EPSILON);
    }
  }
}
