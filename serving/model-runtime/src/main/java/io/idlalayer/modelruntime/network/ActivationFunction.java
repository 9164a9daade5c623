package io.idlalayer.modelruntime.network;

import io.idlalayer.modelruntime.function.ActivationFormulas;

/**
 * An activation function of rows of numbers.
 *
 * @param slope slope of {@link Kind#LEAKY_RELU} below 0 and of {@link Kind#HARD_SIGMOID}, limit of
 *     {@link Kind#ELU} towards minus infinity, and bound of {@link Kind#BOUNDED_RELU} and {@link
 *     Kind#THRESHOLDED_RELU}
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
    SELU,
    SOFTPLUS,
    SOFTSIGN,
    GELU,
    /** The approximation of GELU by a hyperbolic tangent. */
    GELU_TANH,
    SWISH,
    MISH,
    /** The number between 0 and a bound. */
    BOUNDED_RELU,
    /** The number if it is above a bound, else 0. */
    THRESHOLDED_RELU,
    HARD_SIGMOID,
    HARD_SWISH,
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
      case SELU,
          SOFTPLUS,
          SOFTSIGN,
          GELU,
          GELU_TANH,
          SWISH,
          MISH,
          BOUNDED_RELU,
          THRESHOLDED_RELU,
          HARD_SIGMOID,
          HARD_SWISH -> {
        for (int i = from; i < end; i++) {
          values[i] = (float) value(values[i]);
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
      values[i] = value(values[i]);
    }
  }

  private double value(double x) {
    return switch (kind) {
      case IDENTITY -> x;
      case RELU -> Math.max(0, x);
      case LEAKY_RELU -> x < 0 ? (float) slope * x : x;
      case ELU -> x < 0 ? slope * Math.expm1(x) : x;
      case SELU -> ActivationFormulas.selu(x);
      case SOFTPLUS -> ActivationFormulas.softplus(x);
      case SOFTSIGN -> ActivationFormulas.softsign(x);
      case GELU -> ActivationFormulas.gelu(x);
      case GELU_TANH -> ActivationFormulas.geluTanh(x);
      case SWISH -> ActivationFormulas.swish(x);
      case MISH -> ActivationFormulas.mish(x);
      case BOUNDED_RELU -> Math.max(0, Math.min((float) slope, x));
      case THRESHOLDED_RELU -> x <= (float) slope ? 0 : x;
      case HARD_SIGMOID -> ActivationFormulas.hardSigmoid(x, (float) slope);
      case HARD_SWISH -> ActivationFormulas.hardSwish(x);
      case TANH -> tanh(x);
      case SIGMOID -> 1 / (1 + Math.exp(-x));
      case EXPONENTIAL -> Math.exp(x);
      case SOFTMAX ->
          throw new IllegalStateException("softmax applies to rows, not to single numbers");
    };
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
