package io.idlalayer.middleware.embedding;

/**
 * Updates one row by its gradient, with Deeplearning4j's constants. The results depend on the
 * numbers alone, not on how a loop is compiled: each weight is computed by itself.
 */
final class RowStep {
  private static final float ADAGRAD_EPSILON = 1e-6f;
  private static final double MEAN_DECAY = 0.9;
  private static final double SPREAD_DECAY = 0.999;
  private static final float ADAM_EPSILON = 1e-8f;

  private final RowLayout layout;
  private final double learningRate;

  RowStep(RowLayout layout, double learningRate) {
    this.layout = layout;
    this.learningRate = learningRate;
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
      case SGD -> sgd(values, at, gradient);
      case ADAGRAD -> adagrad(values, at, gradient);
      case ROW_WISE_ADAGRAD -> rowWise(values, at, gradient);
      case ADAM -> adam(values, at, gradient, step);
    }
  }

  private void sgd(float[] values, int at, float[] gradient) {
    float rate = (float) learningRate;
    for (int i = 0; i < layout.weights(); i++) {
      values[at + i] -= rate * gradient[i];
    }
  }

  private void adagrad(float[] values, int at, float[] gradient) {
    float rate = (float) learningRate;
    int weights = layout.weights();
    int state = at + weights;
    for (int i = 0; i < weights; i++) {
      float g = gradient[i];
      float sum = values[state + i] + g * g;
      values[state + i] = sum;
      values[at + i] -= rate * g / ((float) Math.sqrt(sum) + ADAGRAD_EPSILON);
    }
  }

  private void rowWise(float[] values, int at, float[] gradient) {
    int weights = layout.weights();
    float squares = 0;
    for (int i = 0; i < weights; i++) {
      squares += gradient[i] * gradient[i];
    }
    float sum = values[at + weights] + squares / weights;
    values[at + weights] = sum;
    float rate = (float) learningRate / ((float) Math.sqrt(sum) + ADAGRAD_EPSILON);
    for (int i = 0; i < weights; i++) {
      values[at + i] -= rate * gradient[i];
    }
  }

  private void adam(float[] values, int at, float[] gradient, int step) {
    int weights = layout.weights();
    int means = at + weights;
    int spreads = means + weights;
    float rate =
        (float)
            (learningRate
                * Math.sqrt(1 - Math.pow(SPREAD_DECAY, step))
                / (1 - Math.pow(MEAN_DECAY, step)));
    for (int i = 0; i < weights; i++) {
      float g = gradient[i];
      float mean = (float) MEAN_DECAY * values[means + i] + (float) (1 - MEAN_DECAY) * g;
      float spread =
          (float) SPREAD_DECAY * values[spreads + i] + (float) (1 - SPREAD_DECAY) * g * g;
      values[means + i] = mean;
      values[spreads + i] = spread;
      values[at + i] -= rate * mean / ((float) Math.sqrt(spread) + ADAM_EPSILON);
    }
  }
}
