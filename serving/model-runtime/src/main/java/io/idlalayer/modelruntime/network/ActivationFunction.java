package io.idlalayer.modelruntime.network;

/**
 * An activation function of rows of numbers.
 *
 * @param slope slope of {@link Kind#LEAKY_RELU} below 0, and limit of {@link Kind#ELU} towards
 *     minus infinity
 */
public record ActivationFunction(Kind kind, double slope) {
  /**
   * Bound of the argument below which the first three terms of a series give the hyperbolic
   * tangent.
   */
  private static final double SMALL = 0.01;

  static final ActivationFunction IDENTITY = new ActivationFunction(Kind.IDENTITY, 0);

  /** The kind of an activation function. */
  public enum Kind {
    IDENTITY,
    RELU,
    LEAKY_RELU,
    ELU,
    TANH,
    SIGMOID,
    /** The power of e; for the output of a network that gives the logarithm of a rate. */
    EXPONENTIAL,
    SOFTMAX
  }

  /** Returns whether each output depends on the input at its position only. */
  public boolean elementwise() {
    return kind != Kind.SOFTMAX;
  }

  /** Applies the function in place to rows of numbers. */
  void apply(float[] values, int rows, int width) {
    apply(values, 0, rows, width);
  }

  /** Applies the function in place to rows of numbers that begin at an index. */
  void apply(float[] values, int from, int rows, int width) {
    int end = from + rows * width;
    switch (kind) {
      case IDENTITY -> {}
      case RELU -> {
        for (int i = from; i < end; i++) {
          values[i] = Math.max(0f, values[i]);
        }
      }
      case LEAKY_RELU -> {
        float factor = (float) slope;
        for (int i = from; i < end; i++) {
          values[i] = values[i] < 0 ? factor * values[i] : values[i];
        }
      }
      case ELU -> {
        for (int i = from; i < end; i++) {
          values[i] = values[i] < 0 ? (float) (slope * Math.expm1(values[i])) : values[i];
        }
      }
      case TANH -> {
        for (int i = from; i < end; i++) {
          values[i] = (float) tanh(values[i]);
        }
      }
      case SIGMOID -> {
        for (int i = from; i < end; i++) {
          values[i] = (float) (1 / (1 + Math.exp(-values[i])));
        }
      }
      case EXPONENTIAL -> {
        for (int i = from; i < end; i++) {
          values[i] = (float) Math.exp(values[i]);
        }
      }
      case SOFTMAX -> {
        for (int row = 0; row < rows; row++) {
          softmax(values, from + row * width, width);
        }
      }
    }
  }

  /**
   * Applies the function in double precision, in place and number by number.
   *
   * @throws IllegalStateException if the function is not elementwise
   */
  void apply(double[] values, int from, int count) {
    for (int i = from; i < from + count; i++) {
      double value = values[i];
      values[i] =
          switch (kind) {
            case IDENTITY -> value;
            case RELU -> Math.max(0, value);
            case LEAKY_RELU -> value < 0 ? (float) slope * value : value;
            case ELU -> value < 0 ? slope * Math.expm1(value) : value;
            case TANH -> tanh(value);
            case SIGMOID -> 1 / (1 + Math.exp(-value));
            case EXPONENTIAL -> Math.exp(value);
            case SOFTMAX ->
                throw new IllegalStateException("softmax applies to rows, not to single numbers");
          };
    }
  }

  /**
   * Returns the hyperbolic tangent to 1e-13 of the result; {@link Math#tanh} takes several times as
   * long.
   */
  static double tanh(double value) {
    if (Math.abs(value) < SMALL) {
      double square = value * value;
      return value * (1 - square / 3 + 2 * square * square / 15);
    }
    return 1 - 2 / (Math.exp(2 * value) + 1);
  }

  private static void softmax(float[] values, int from, int width) {
    float largest = Float.NEGATIVE_INFINITY;
    for (int i = from; i < from + width; i++) {
      largest = Math.max(largest, values[i]);
    }
    double sum = 0;
    for (int i = from; i < from + width; i++) {
      double power = Math.exp((double) values[i] - largest);
      values[i] = (float) power;
      sum += power;
    }
    for (int i = from; i < from + width; i++) {
      values[i] = (float) (values[i] / sum);
    }
  }
}
