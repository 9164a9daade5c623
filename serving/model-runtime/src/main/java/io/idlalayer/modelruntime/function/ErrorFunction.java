package io.idlalayer.modelruntime.function;

/**
 * The error function and its complement, to 1e-14. The complement is exp(-x²) times a series of
 * Chebyshev polynomials of (x - 3.75) / (x + 3.75), whose coefficients were computed with 40
 * digits.
 */
public final class ErrorFunction {
  private static final double CENTER = 3.75;

  private static final double[] SERIES = {
    0.30507154096160027,
    -0.43484127271257735,
    0.17635119364360562,
    -0.060710795609249295,
    0.017712068995694234,
    -0.0043211193855671746,
    8.5421667688721761e-4,
    -1.2715509060904411e-4,
    1.1248167243789478e-5,
    3.1306388553971931e-7,
    -2.7098806842029978e-7,
    3.0737622818388556e-8,
    2.5156205012720154e-9,
    -1.0289298054372976e-9,
    2.9944167386925483e-11,
    2.6051904293758852e-11,
    -2.6347260223466661e-12,
    -6.4329135664326752e-13,
    1.1256976284836716e-13,
    1.7393058918702213e-14
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
