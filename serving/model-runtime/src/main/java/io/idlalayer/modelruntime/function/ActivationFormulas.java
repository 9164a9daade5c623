package io.idlalayer.modelruntime.function;

/** Formulas of activation functions and of their slopes, in double precision. NaN gives NaN. */
public final class ActivationFormulas {
  /** Slope of SELU above 0 (Klambauer 2017). */
  public static final double SELU_SCALE = 1.0507009873554805;

  /** Limit of SELU towards minus infinity, divided by {@link #SELU_SCALE}. */
  public static final double SELU_ALPHA = 1.6732632423543772;

  private static final double ROOT_OF_HALF = Math.sqrt(0.5);
  private static final double DENSITY = 1 / Math.sqrt(2 * Math.PI);
  private static final double TANH_FACTOR = Math.sqrt(2 / Math.PI);
  private static final double TANH_CUBE = 0.044715;

  /** Slope of the hard sigmoid in {@link #hardSwish}. */
  public static final double HARD_SWISH_SLOPE = 1.0 / 6;

  private ActivationFormulas() {}

  /** Returns the Gaussian error linear unit: x times the normal distribution (Hendrycks 2016). */
  public static double gelu(double x) {
    return x * normal(x);
  }

  public static double geluSlope(double x) {
    return normal(x) + x * DENSITY * Math.exp(-x * x / 2);
  }

  private static double normal(double x) {
    return 0.5 * ErrorFunction.erfc(-x * ROOT_OF_HALF);
  }

  /** Returns the approximation of {@link #gelu} by a hyperbolic tangent. */
  public static double geluTanh(double x) {
    return x * sigmoid(tanhArgument(x));
  }

  public static double geluTanhSlope(double x) {
    double share = sigmoid(tanhArgument(x));
    double slope = 2 * TANH_FACTOR * (1 + 3 * TANH_CUBE * x * x);
    return share + x * share * (1 - share) * slope;
  }

  /** Returns twice the argument of the tangent, since (1 + tanh(u)) / 2 is the sigmoid of 2 u. */
  private static double tanhArgument(double x) {
    return 2 * TANH_FACTOR * (x + TANH_CUBE * x * x * x);
  }

  public static double sigmoid(double x) {
    return 1 / (1 + Math.exp(-x));
  }

  /** Returns x times its sigmoid, which is called SiLU, too. */
  public static double swish(double x) {
    return x * sigmoid(x);
  }

  public static double swishSlope(double x) {
    double share = sigmoid(x);
    return share * (1 + x * (1 - share));
  }

  public static double softplus(double x) {
    return Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)));
  }

  /** Returns x times the hyperbolic tangent of its softplus (Misra 2019). */
  public static double mish(double x) {
    return x * Math.tanh(softplus(x));
  }

  public static double mishSlope(double x) {
    double tanh = Math.tanh(softplus(x));
    return tanh + x * (1 - tanh * tanh) * sigmoid(x);
  }

  public static double selu(double x) {
    return x > 0 ? SELU_SCALE * x : SELU_SCALE * SELU_ALPHA * Math.expm1(x);
  }

  public static double softsign(double x) {
    return x / (1 + Math.abs(x));
  }

  /** Returns a half plus {@code slope * x}, but at least 0 and at most 1. */
  public static double hardSigmoid(double x, double slope) {
    return Math.max(0, Math.min(1, slope * x + 0.5));
  }

  /** Returns {@code x} times the hard sigmoid of slope 1/6 (Howard 2019). */
  public static double hardSwish(double x) {
    return x * hardSigmoid(x, HARD_SWISH_SLOPE);
  }

  /** Returns the slope of {@link #hardSwish}; at a kink, that towards 0. */
  public static double hardSwishSlope(double x) {
    return x <= -3 ? 0 : x >= 3 ? 1 : x / 3 + 0.5;
  }
}
