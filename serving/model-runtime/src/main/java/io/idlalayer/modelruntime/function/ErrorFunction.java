package io.idlalayer.modelruntime.function;

/**
 * The error function and its complement, to 1e-14. The complement is exp(-x²) times a series of
 * Chebyshev polynomials of (x - 3.75) / (x + 3.75), whose coefficients were computed with 40
 * digits.
 */
public final class ErrorFunction {
  private static final double CENTER = 3.75;

  private static final double[] SERIES = {
    0.3050715409616003,
    -0.43484127271257733,
    0.17635119364360563,
    -0.060710795609249295,
    0.017712068995694233,
    -0.0043211193855671745,
    8.542166768872176e-4,
    -1.271550906090441e-4,
    1.1248167243789479e-5,
    3.130638855397193e-7,
    -2.7098806842029976e-7,
    3.0737622818388555e-8,
    2.5156205012720154e-9,
    -1.0289298054372977e-9,
    2.9944167386925484e-11,
    2.6051904293758852e-11,
    -2.634726022346666e-12,
    -6.432913566432675e-13,
    1.1256976284836716e-13,
    1.7393058918702214e-14
  };

  private ErrorFunction() {}

  /** Returns the error function; NaN for NaN. */
  public static double erf(double x) {
    return x < 0 ? complement(-x) - 1 : 1 - complement(x);
  }

  /** Returns 1 minus the error function, to 1e-12 of the result for arguments above 0. */
  public static double erfc(double x) {
    return x < 0 ? 2 - complement(-x) : complement(x);
  }

  private static double complement(double x) {
    double power = Math.exp(-x * x);
    if (power == 0) {
      return 0;
    }
    double t = (x - CENTER) / (x + CENTER);
    double last = 0;
    double beforeLast = 0;
    for (int k = SERIES.length - 1; k > 0; k--) {
      double next = 2 * t * last - beforeLast + SERIES[k];
      beforeLast = last;
      last = next;
    }
    return power * (t * last - beforeLast + SERIES[0]);
  }
}
