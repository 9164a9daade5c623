package io.idlalayer.jobs.proposal;

import java.math.BigDecimal;
import java.math.MathContext;

/** Formats numbers for comments, and whole numbers as names of classes. */
final class Numbers {
  private static final double WHOLE_MAX = 1e15;
  private static final MathContext DIGITS = new MathContext(6);

  private Numbers() {}

  /** Returns a whole number without a decimal point. */
  static String whole(double number) {
    return Double.isFinite(number)
        ? new BigDecimal(number).setScale(0, java.math.RoundingMode.HALF_EVEN).toPlainString()
        : Double.toString(number);
  }

  /** Returns a number with at most six digits. */
  static String shown(double number) {
    if (!Double.isFinite(number)) {
      return Double.toString(number);
    }
    if (number == Math.rint(number) && Math.abs(number) < WHOLE_MAX) {
      return whole(number);
    }
    return new BigDecimal(number).round(DIGITS).stripTrailingZeros().toString();
  }
}
