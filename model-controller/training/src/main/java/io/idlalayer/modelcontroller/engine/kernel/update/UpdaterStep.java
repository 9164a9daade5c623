package io.idlalayer.modelcontroller.engine.kernel.update;

/**
 * Turns gradients into the amounts that are subtracted from the parameters. The formulas come from
 * ND4J 1.0.0-M2.1 and are computed in floats.
 */
public sealed interface UpdaterStep {
  /** Returns the number of state arrays that {@link #replaceByUpdates} needs. */
  int states();

  /** Returns the present learning rate; 1 if the rule has none. */
  double rate(Progress progress);

  /**
   * Replaces gradients by the amounts to subtract from the parameters.
   *
   * @param states one array for each state, which the method changes
   * @param count number of elements of each array to update, from the first
   */
  void replaceByUpdates(float[] gradients, float[][] states, int count, Progress progress);

  /**
   * Subtracts from the parameters the amounts that this rule computes from the gradients, in one
   * pass if one pass is faster.
   *
   * @param gradients gradients, which the method is allowed to change
   * @param divisor number by which gradients are divided
   * @param states one array for each state tensor, which the method changes
   * @param count number of elements of each array to update, from the first
   */
  default void update(
      float[] parameters,
      float[] gradients,
      float divisor,
      float[][] states,
      int count,
      Progress progress) {
    divide(gradients, divisor, count);
    replaceByUpdates(gradients, states, count, progress);
    for (int i = 0; i < count; i++) {
      parameters[i] -= gradients[i];
    }
  }

  /**
   * Divides numbers in place by a divisor. If the divisor is a power of two, the method multiplies
   * by the inverse of the divisor, which gives the same bits and is several times faster.
   *
   * @param count number of elements to divide, from the first
   */
  static void divide(float[] numbers, float divisor, int count) {
    if (powerOfTwo(divisor)) {
      float factor = 1 / divisor;
      for (int i = 0; i < count; i++) {
        numbers[i] *= factor;
      }
    } else {
      for (int i = 0; i < count; i++) {
        numbers[i] /= divisor;
      }
    }
  }

  private static boolean powerOfTwo(float number) {
    return Math.scalb(1f, Math.getExponent(number)) == number;
  }

  /** Subtracts the gradient itself, for running means, which are not learned. */
  record None() implements UpdaterStep {
    @Override
    public int states() {
      return 0;
    }

    @Override
    public double rate(Progress progress) {
      return 1;
    }

    @Override
    public void replaceByUpdates(
        float[] gradients, float[][] states, int count, Progress progress) {}
  }

  /** Plain gradient descent. */
  record Sgd(Schedule learningRate) implements UpdaterStep {
    @Override
    public int states() {
      return 0;
    }

    @Override
    public double rate(Progress progress) {
      return progress.at(learningRate);
    }

    @Override
    public void replaceByUpdates(
        float[] gradients, float[][] states, int count, Progress progress) {
      float rate = (float) rate(progress);
      for (int i = 0; i < count; i++) {
        gradients[i] *= rate;
      }
    }
  }

  /** Nesterov's momentum; the state is the velocity. */
  record Nesterovs(Schedule learningRate, Schedule momentum) implements UpdaterStep {
    @Override
    public int states() {
      return 1;
    }

    @Override
    public double rate(Progress progress) {
      return progress.at(learningRate);
    }

    @Override
    public void replaceByUpdates(
        float[] gradients, float[][] states, int count, Progress progress) {
      float rate = (float) rate(progress);
      float mu = (float) progress.at(momentum);
      float[] velocities = states[0];
      for (int i = 0; i < count; i++) {
        float slowed = mu * velocities[i];
        float velocity = slowed - rate * gradients[i];
        velocities[i] = velocity;
        gradients[i] = slowed + (-mu - 1) * velocity;
      }
    }
  }

  /** Adam (Kingma 2015); the states are the means of the gradients and of their squares. */
  record Adam(Schedule learningRate, double beta1, double beta2, double epsilon)
      implements UpdaterStep {
    @Override
    public int states() {
      return 2;
    }

    @Override
    public double rate(Progress progress) {
      return progress.at(learningRate);
    }

    @Override
    public void replaceByUpdates(
        float[] gradients, float[][] states, int count, Progress progress) {
      float b1 = (float) beta1;
      float b2 = (float) beta2;
      float rest1 = 1 - b1;
      float rest2 = 1 - b2;
      float eps = (float) epsilon;
      float step = step(b1, b2, progress);
      float[] means = states[0];
      float[] squares = states[1];
      for (int i = 0; i < count; i++) {
        float gradient = gradients[i];
        float mean = b1 * means[i] + gradient * rest1;
        float square = b2 * squares[i] + gradient * gradient * rest2;
        means[i] = mean;
        squares[i] = square;
        gradients[i] = mean * step / ((float) Math.sqrt(square) + eps);
      }
    }

    @Override
    public void update(
        float[] parameters,
        float[] gradients,
        float divisor,
        float[][] states,
        int count,
        Progress progress) {
      float b1 = (float) beta1;
      float b2 = (float) beta2;
      float rest1 = 1 - b1;
      float rest2 = 1 - b2;
      float eps = (float) epsilon;
      float step = step(b1, b2, progress);
      float[] means = states[0];
      float[] squares = states[1];
      float factor = 1;
      if (powerOfTwo(divisor)) {
        factor = 1 / divisor;
      } else {
        divide(gradients, divisor, count);
      }
      for (int i = 0; i < count; i++) {
        float gradient = gradients[i] * factor;
        float mean = b1 * means[i] + gradient * rest1;
        float square = b2 * squares[i] + gradient * gradient * rest2;
        means[i] = mean;
        squares[i] = square;
        parameters[i] -= mean * step / ((float) Math.sqrt(square) + eps);
      }
    }

    /** Returns Adam's learning rate, corrected because its states began at 0. */
    private float step(float b1, float b2, Progress progress) {
      float power1 = progress.power(b1);
      float power2 = progress.power(b2);
      float root = (float) Math.sqrt(1.0 - power2);
      float step = (float) ((float) rate(progress) * root / (1.0 - power1));
      return step == 0 || !Float.isFinite(step) ? (float) epsilon : step;
    }
  }
}
