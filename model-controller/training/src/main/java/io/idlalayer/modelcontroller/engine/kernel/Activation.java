package io.idlalayer.modelcontroller.engine.kernel;

import io.idlalayer.modelruntime.function.ActivationFormulas;

/**
 * An activation function whose value for a number depends on this number only.
 *
 * @param alpha slope of {@link Kind#RELU} below 0, factor of {@link Kind#ELU}, upper bound of
 *     {@link Kind#BOUNDED_RELU}, bound of {@link Kind#THRESHOLDED_RELU}, or slope of {@link
 *     Kind#HARD_SIGMOID}
 */
public record Activation(Kind kind, float alpha) {
  public static final Activation IDENTITY = new Activation(Kind.IDENTITY, 0);
  public static final Activation RELU = new Activation(Kind.RELU, 0);
  public static final Activation TANH = new Activation(Kind.TANH, 0);
  public static final Activation SIGMOID = new Activation(Kind.SIGMOID, 0);

  private static final float SELU_SCALE = (float) ActivationFormulas.SELU_SCALE;
  private static final float SELU_LIMIT =
      (float) (ActivationFormulas.SELU_SCALE * ActivationFormulas.SELU_ALPHA);

  /** The kind of an activation function. */
  public enum Kind {
    IDENTITY,
    RELU,
    TANH,
    SIGMOID,
    ELU,
    SELU,
    SOFTPLUS,
    SOFTSIGN,
    GELU,
    /** The approximation of GELU by a hyperbolic tangent. */
    GELU_TANH,
    SWISH,
    MISH,
    /** The number, clamped to the range from 0 to a bound. */
    BOUNDED_RELU,
    /** The number if it is above a bound, else 0. */
    THRESHOLDED_RELU,
    HARD_SIGMOID,
    HARD_SWISH
  }

  /**
   * Returns whether the slope must be computed from the input, because several inputs have the same
   * output.
   */
  public boolean needsInputs() {
    return switch (kind) {
      case GELU, GELU_TANH, SWISH, MISH, THRESHOLDED_RELU, HARD_SWISH -> true;
      case IDENTITY,
          RELU,
          TANH,
          SIGMOID,
          ELU,
          SELU,
          SOFTPLUS,
          SOFTSIGN,
          BOUNDED_RELU,
          HARD_SIGMOID ->
          false;
    };
  }

  /** Returns the value of the function at {@code x}; NaN for NaN. */
  public float value(float x) {
    return switch (kind) {
      case IDENTITY -> x;
      case RELU -> x > 0 ? x : alpha == 0 && x <= 0 ? 0 : alpha * x;
      case TANH -> (float) Math.tanh(x);
      case SIGMOID -> (float) (1 / (1 + Math.exp(-x)));
      case ELU -> x > 0 ? x : alpha * (float) Math.expm1(x);
      case SELU -> (float) ActivationFormulas.selu(x);
      case SOFTPLUS -> (float) ActivationFormulas.softplus(x);
      case SOFTSIGN -> (float) ActivationFormulas.softsign(x);
      case GELU -> (float) ActivationFormulas.gelu(x);
      case GELU_TANH -> (float) ActivationFormulas.geluTanh(x);
      case SWISH -> (float) ActivationFormulas.swish(x);
      case MISH -> (float) ActivationFormulas.mish(x);
      case BOUNDED_RELU -> Math.max(0, Math.min(alpha, x));
      case THRESHOLDED_RELU -> x <= alpha ? 0 : x;
      case HARD_SIGMOID -> (float) ActivationFormulas.hardSigmoid(x, alpha);
      case HARD_SWISH -> (float) ActivationFormulas.hardSwish(x);
    };
  }

  /**
   * Returns the slope of the function; at a kink, the slope that Deeplearning4j uses.
   *
   * @param known the value of the function, or its input if {@link #needsInputs} returns true
   */
  public float slope(float known) {
    return switch (kind) {
      case IDENTITY -> 1;
      case RELU -> known > 0 || (alpha != 0 && known == 0) ? 1 : alpha;
      case TANH -> 1 - known * known;
      case SIGMOID -> known * (1 - known);
      case ELU -> known > 0 ? 1 : known + alpha;
      case SELU -> known > 0 ? SELU_SCALE : known + SELU_LIMIT;
      case SOFTPLUS -> (float) -Math.expm1(-known);
      case SOFTSIGN -> (1 - Math.abs(known)) * (1 - Math.abs(known));
      case GELU -> (float) ActivationFormulas.geluSlope(known);
      case GELU_TANH -> (float) ActivationFormulas.geluTanhSlope(known);
      case SWISH -> (float) ActivationFormulas.swishSlope(known);
      case MISH -> (float) ActivationFormulas.mishSlope(known);
      case BOUNDED_RELU -> known > 0 && known < alpha ? 1 : 0;
      case THRESHOLDED_RELU -> known > alpha ? 1 : 0;
      case HARD_SIGMOID -> known > 0 && known < 1 ? alpha : 0;
      case HARD_SWISH -> (float) ActivationFormulas.hardSwishSlope(known);
    };
  }
}
