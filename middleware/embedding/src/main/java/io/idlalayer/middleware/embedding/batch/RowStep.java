package io.idlalayer.middleware.embedding.batch;

import io.idlalayer.middleware.embedding.loops.RowLoops;
import io.idlalayer.middleware.embedding.plan.RowLayout;

/**
 * Updates one embedding row by its gradient, with Deeplearning4j's constants for the updaters. The
 * results depend only on the numbers, not on the loops: each weight is computed independently, and
 * sums over a row are added in its order. For one thread.
 */
final class RowStep {
  private final RowLayout layout;
  private final double learningRate;
  private final RowLoops loops;
  private final int count;

  /**
   * Whether rows are copied before their update, so that they have the same indexes as their
   * gradient.
   */
  private final boolean copied;

  /** Copy of the row's weights; the next two arrays are copies of its updater's state. */
  private final float[] first;

  private final float[] second;
  private final float[] third;

  RowStep(RowLayout layout, double learningRate, RowLoops loops) {
    this.layout = layout;
    this.learningRate = learningRate;
    this.loops = loops;
    count = layout.weights();
    copied = loops.prefersEqualIndexes(count);
    first = new float[copied ? count : 0];
    second = new float[first.length];
    third = new float[first.length];
  }

  /** Returns an instance with equal settings for another thread. */
  RowStep copy() {
    return new RowStep(layout, learningRate, loops);
  }

  /**
   * Updates the weights and the updater's state of a row.
   *
   * @param values holds the row from {@code at} on
   * @param gradient gradient with respect to the row's weights
   * @param step number of the row's updates, including this one
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
      loops.descend(first, 0, gradient, 0, count, rate);
      System.arraycopy(first, 0, values, at, count);
    } else {
      loops.descend(values, at, gradient, 0, count, rate);
    }
  }

  private void adagrad(float[] values, int at, float[] gradient) {
    float rate = (float) learningRate;
    int sums = at + count;
    if (copied) {
      System.arraycopy(values, at, first, 0, count);
      System.arraycopy(values, sums, second, 0, count);
      loops.adagrad(first, 0, second, 0, gradient, 0, count, rate);
      System.arraycopy(first, 0, values, at, count);
      System.arraycopy(second, 0, values, sums, count);
    } else {
      loops.adagrad(values, at, values, sums, gradient, 0, count, rate);
    }
  }

  private void rowWise(float[] values, int at, float[] gradient) {
    float squares = 0;
    for (int i = 0; i < count; i++) {
      squares += gradient[i] * gradient[i];
    }
    float sum = values[at + count] + squares / count;
    values[at + count] = sum;
    float rate = (float) learningRate / ((float) Math.sqrt(sum) + RowLoops.ADAGRAD_EPSILON);
    descend(values, at, gradient, rate);
  }

  private void adam(float[] values, int at, float[] gradient, int step) {
    float rate =
        (float)
            (learningRate
                * Math.sqrt(1 - Math.pow(RowLoops.SPREAD_DECAY, step))
                / (1 - Math.pow(RowLoops.MEAN_DECAY, step)));
    int means = at + count;
    int spreads = means + count;
    if (copied) {
      System.arraycopy(values, at, first, 0, count);
      System.arraycopy(values, means, second, 0, count);
      System.arraycopy(values, spreads, third, 0, count);
      loops.adam(first, 0, second, 0, third, 0, gradient, 0, count, rate);
      System.arraycopy(first, 0, values, at, count);
      System.arraycopy(second, 0, values, means, count);
      System.arraycopy(third, 0, values, spreads, count);
    } else {
      loops.adam(values, at, values, means, values, spreads, gradient, 0, count, rate);
    }
  }
}
