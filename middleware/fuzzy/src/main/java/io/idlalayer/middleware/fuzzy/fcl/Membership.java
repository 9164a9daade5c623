package io.idlalayer.middleware.fuzzy.fcl;

import java.util.Arrays;

/**
 * A membership function of a linguistic term: how much a value belongs to the term, in [0, 1];
 * shapes of IEC 61131-7 and others.
 */
sealed interface Membership {
  double of(double x);

  /**
   * Returns the start of the shape's support, which bounds the output's range if the file gives no
   * RANGE.
   */
  double low();

  /**
   * Returns the end of the shape's support, which bounds the output's range if the file gives no
   * RANGE.
   */
  double high();

  /** Returns this shape in FCL. */
  String text();

  /**
   * Straight lines between given points, constant outside of them; at a step the value on its left
   * counts.
   */
  record Points(double[] xs, double[] ys) implements Membership {
    @Override
    public double of(double x) {
      int last = xs.length - 1;
      if (x <= xs[0]) {
        return ys[0];
      }
      if (x > xs[last]) {
        return ys[last];
      }
      int i = 1;
      while (x > xs[i]) {
        i++;
      }
      return ys[i - 1] + (ys[i] - ys[i - 1]) * ((x - xs[i - 1]) / (xs[i] - xs[i - 1]));
    }

    @Override
    public double low() {
      return xs[0];
    }

    @Override
    public double high() {
      return xs[xs.length - 1];
    }

    @Override
    public String text() {
      StringBuilder text = new StringBuilder();
      for (int i = 0; i < xs.length; i++) {
        text.append(i == 0 ? "" : " ");
        text.append('(').append(xs[i]).append(", ").append(ys[i]).append(')');
      }
      return text.toString();
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Points o && Arrays.equals(xs, o.xs) && Arrays.equals(ys, o.ys);
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(xs);
    }

    @Override
    public String toString() {
      return text();
    }
  }

  /** Membership 1 at a single value and 0 elsewhere. */
  record Singleton(double at) implements Membership {
    @Override
    public double of(double x) {
      return x == at ? 1 : 0;
    }

    @Override
    public double low() {
      return at;
    }

    @Override
    public double high() {
      return at;
    }

    @Override
    public String text() {
      return Double.toString(at);
    }
  }

  /** A triangle that rises from a to b and falls from b to c. */
  record Triangle(double a, double b, double c) implements Membership {
    @Override
    public double of(double x) {
      if (x < a || x > c) {
        return 0;
      }
      if (x == b) {
        return 1;
      }
      return x < b ? (x - a) / (b - a) : 1 - (x - b) / (c - b);
    }

    @Override
    public double low() {
      return a;
    }

    @Override
    public double high() {
      return c;
    }

    @Override
    public String text() {
      return "TRIAN %s %s %s".formatted(a, b, c);
    }
  }

  /** A trapezoid that rises from a to b, is 1 to c and falls to d. */
  record Trapezoid(double a, double b, double c, double d) implements Membership {
    @Override
    public double of(double x) {
      if (x < a || x > d) {
        return 0;
      }
      if (x >= b && x <= c) {
        return 1;
      }
      return x < b ? (x - a) / (b - a) : 1 - (x - c) / (d - c);
    }

    @Override
    public double low() {
      return a;
    }

    @Override
    public double high() {
      return d;
    }

    @Override
    public String text() {
      return "TRAPE %s %s %s %s".formatted(a, b, c, d);
    }
  }

  /**
   * A Gaussian bell with its top at the mean, {@code exp(-(x - mean)^2 / (2 sigma^2))}; between two
   * means 1.
   */
  record Gauss(double mean, double sigma, double mean2, double sigma2) implements Membership {
    @Override
    public double of(double x) {
      if (x < mean) {
        return bell(x - mean, sigma);
      }
      return x > mean2 ? bell(x - mean2, sigma2) : 1;
    }

    private static double bell(double gap, double sigma) {
      return Math.exp(-gap * gap / (2 * sigma * sigma));
    }

    @Override
    public double low() {
      return mean - 4 * sigma;
    }

    @Override
    public double high() {
      return mean2 + 4 * sigma2;
    }

    @Override
    public String text() {
      return mean == mean2 && sigma == sigma2
          ? "GAUSS %s %s".formatted(mean, sigma)
          : "GAUSS2 %s %s %s %s".formatted(mean, sigma, mean2, sigma2);
    }
  }

  /** A generalised bell with its top at the mean, {@code 1 / (1 + |(x - mean) / a|^(2 b))}. */
  record Bell(double a, double b, double mean) implements Membership {
    @Override
    public double of(double x) {
      return 1 / (1 + Math.pow(Math.abs((x - mean) / a), 2 * b));
    }

    private double halfWidth() {
      return Math.pow(999, 1 / (2 * b)) * a;
    }

    @Override
    public double low() {
      return mean - halfWidth();
    }

    @Override
    public double high() {
      return mean + halfWidth();
    }

    @Override
    public String text() {
      return "GBELL %s %s %s".formatted(a, b, mean);
    }
  }

  /** A sigmoid that is 0.5 at the middle, {@code 1 / (1 + exp(-gain (x - middle)))}. */
  record Sigmoid(double gain, double middle) implements Membership {
    @Override
    public double of(double x) {
      return 1 / (1 + Math.exp(-gain * (x - middle)));
    }

    @Override
    public double low() {
      return middle - 9 / Math.abs(gain);
    }

    @Override
    public double high() {
      return middle + 9 / Math.abs(gain);
    }

    @Override
    public String text() {
      return "SIGM %s %s".formatted(gain, middle);
    }
  }

  /** The difference of two sigmoids, not below 0. */
  record SigmoidDifference(Sigmoid left, Sigmoid right) implements Membership {
    @Override
    public double of(double x) {
      return Math.max(0, left.of(x) - right.of(x));
    }

    @Override
    public double low() {
      return Math.min(left.low(), right.low());
    }

    @Override
    public double high() {
      return Math.max(left.high(), right.high());
    }

    @Override
    public String text() {
      return "DSIGM %s %s %s %s"
          .formatted(left.gain(), left.middle(), right.gain(), right.middle());
    }
  }

  /** A hump in the form of a cosine, with half width {@code width} around the middle. */
  record Cosine(double width, double middle) implements Membership {
    @Override
    public double of(double x) {
      double gap = x - middle;
      return Math.abs(gap) <= width ? (Math.cos(gap * (Math.PI / width)) + 1) / 2 : 0;
    }

    @Override
    public double low() {
      return middle - width;
    }

    @Override
    public double high() {
      return middle + width;
    }

    @Override
    public String text() {
      return "COSINE %s %s".formatted(width, middle);
    }
  }

  /**
   * A singleton whose position is a formula of the inputs: the consequent of a Takagi-Sugeno rule.
   */
  record Function(Expression expression) implements Membership {
    @Override
    public double of(double x) {
      return 0;
    }

    @Override
    public double low() {
      return Double.NaN;
    }

    @Override
    public double high() {
      return Double.NaN;
    }

    @Override
    public String text() {
      return "FUNCTION " + expression.text();
    }
  }
}
