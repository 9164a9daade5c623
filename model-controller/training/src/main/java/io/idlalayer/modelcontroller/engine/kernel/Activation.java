package io.idlalayer.modelcontroller.engine.kernel;

/**
 * An activation function that maps each number by itself.
 *
 * @param alpha slope of {@link Kind#RELU} below 0, or factor of {@link Kind#ELU}
 */
public record Activation(Kind kind, float alpha) {
  public static final Activation IDENTITY = new Activation(Kind.IDENTITY, 0);
  public static final Activation RELU = new Activation(Kind.RELU, 0);
  public static final Activation TANH = new Activation(Kind.TANH, 0);
  public static final Activation SIGMOID = new Activation(Kind.SIGMOID, 0);

  /** The kind of an activation function. */
  public enum Kind {
    IDENTITY,
    RELU,
    TANH,
    SIGMOID,
    ELU
  }

  /** Returns the value of the function at {@code x}; NaN for NaN. */
  public float value(float x) {
    return switch (kind) {
      case IDENTITY -> x;
      case RELU -> x > 0 ? x : alpha == 0 && x <= 0 ? 0 : alpha * x;
      case TANH -> (float) Math.tanh(x);
      case SIGMOID -> (float) (1 / (1 + Math.exp(-x)));
      case ELU -> x > 0 ? x : alpha * (float) Math.expm1(x);
    };
  }

  /**
   * Returns the slope of the function where its value is {@code y}; at a kink, the slope that
   * Deeplearning4j uses.
   */
  public float slope(float y) {
    return switch (kind) {
      case IDENTITY -> 1;
      case RELU -> y > 0 || (alpha != 0 && y == 0) ? 1 : alpha;
      case TANH -> 1 - y * y;
      case SIGMOID -> y * (1 - y);
      case ELU -> y > 0 ? 1 : y + alpha;
    };
  }
}
