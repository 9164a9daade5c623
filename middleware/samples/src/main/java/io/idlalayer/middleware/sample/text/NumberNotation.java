package io.idlalayer.middleware.sample.text;

import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * The way in which texts write numbers: {@code [+-]digits[.digits][e[+-]digits]}, with at least one
 * digit before or after the decimal separator. Digits are 0 to 9. Spaces around a number are
 * ignored. There are no suffixes, no hexadecimal numbers, and no words for numbers.
 *
 * @param decimal the decimal separator, one character
 * @param thousands the character between groups of three digits before the decimal separator, or
 *     empty if there is none. A space stands for every kind of space, and an apostrophe also for
 *     its typographic form
 */
public record NumberNotation(String decimal, String thousands) implements Serializable {
  /** The notation of programming languages: a decimal point and no thousands separator. */
  public static final NumberNotation PLAIN = new NumberNotation(".", "");

  /** Largest number of decimal digits that always fit into a long. */
  private static final int DIGITS_MAX = 18;

  private static final long EXACT_MAX = 1L << 53;
  private static final double[] POWERS = {
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18
  };

  /**
   * Creates a notation.
   *
   * @throws IllegalArgumentException if a separator is not allowed, or both are equal
   */
  public NumberNotation {
    if (!separator(decimal) || Character.isWhitespace(decimal.charAt(0))) {
      throw new IllegalArgumentException(
          Shown.of(decimal)
              + " is not a decimal separator: one character, no letter, digit or sign");
    }
    if (!thousands.isEmpty() && !separator(thousands)) {
      throw new IllegalArgumentException(
          Shown.of(thousands)
              + " is not a thousands separator: one character, no letter, digit or sign");
    }
    if (decimal.equals(thousands)) {
      throw new IllegalArgumentException("decimal and thousands separator are both " + decimal);
    }
  }

  private static boolean separator(String text) {
    return text.length() == 1
        && !Character.isLetterOrDigit(text.charAt(0))
        && !Character.isSurrogate(text.charAt(0))
        && "+-\"\r\n".indexOf(text.charAt(0)) < 0;
  }

  /**
   * Returns the number in a text, rounded to the nearest double; infinite if it is too large for a
   * double, and NaN if the text is not a number.
   */
  public double read(String text) {
    int end = text.length();
    int at = 0;
    while (at < end && space(text.charAt(at))) {
      at++;
    }
    while (end > at && space(text.charAt(end - 1))) {
      end--;
    }
    int from = at;
    boolean negative = at < end && text.charAt(at) == '-';
    if (negative || (at < end && text.charAt(at) == '+')) {
      at++;
    }
    long digits = 0;
    int whole = 0;
    int group = 0;
    boolean grouped = false;
    // A number with groups does not begin with zero; 0.125 is a decimal fraction in another
    // notation.
    boolean zeroInFront = at < end && text.charAt(at) == '0';
    for (; at < end; at++) {
      char c = text.charAt(at);
      if (c >= '0' && c <= '9') {
        digits = 10 * digits + (c - '0');
        whole++;
        group++;
      } else if (between(c)) {
        if (zeroInFront || (grouped ? group != 3 : group < 1 || group > 3)) {
          return Double.NaN;
        }
        grouped = true;
        group = 0;
      } else {
        break;
      }
    }
    if (grouped && group != 3) {
      return Double.NaN;
    }
    int fraction = 0;
    if (at < end && text.charAt(at) == decimal.charAt(0)) {
      for (at++; at < end && digit(text.charAt(at)); at++) {
        digits = 10 * digits + (text.charAt(at) - '0');
        fraction++;
      }
    }
    if (whole + fraction == 0) {
      return Double.NaN;
    }
    boolean exponent = at < end && (text.charAt(at) | 0x20) == 'e';
    if (exponent) {
      at = endOfExponent(text, at, end);
    }
    if (at != end) {
      return Double.NaN;
    }
    // Powers of ten up to 10^22 are exact, so one division rounds once (Clinger 1990).
    if (!exponent && whole + fraction <= DIGITS_MAX && digits <= EXACT_MAX) {
      double magnitude = digits / POWERS[fraction];
      return negative ? -magnitude : magnitude;
    }
    return Double.parseDouble(plain(text, from, end));
  }

  /** Returns a number's text in {@link #PLAIN} notation; null if the text is not a number. */
  public @Nullable String plain(String text) {
    if (Double.isNaN(read(text))) {
      return null;
    }
    String trimmed = text.strip();
    return plain(trimmed, 0, trimmed.length());
  }

  /** Returns the index after an exponent; -1 if it has no digits. */
  private static int endOfExponent(String text, int from, int end) {
    int at = from + 1;
    if (at < end && (text.charAt(at) == '+' || text.charAt(at) == '-')) {
      at++;
    }
    int first = at;
    while (at < end && digit(text.charAt(at))) {
      at++;
    }
    return at == first ? -1 : at;
  }

  private String plain(String text, int from, int end) {
    StringBuilder plain = new StringBuilder(end - from);
    for (int i = from; i < end; i++) {
      char c = text.charAt(i);
      if (c == decimal.charAt(0)) {
        plain.append('.');
      } else if (!between(c) && !space(c)) {
        plain.append(c);
      }
    }
    return plain.toString();
  }

  private boolean between(char c) {
    if (thousands.isEmpty()) {
      return false;
    }
    char separator = thousands.charAt(0);
    return c == separator
        || (separator == ' ' && Character.isSpaceChar(c))
        || (separator == '\'' && c == '\u2019');
  }

  private static boolean digit(char c) {
    return c >= '0' && c <= '9';
  }

  private static boolean space(char c) {
    return (c <= ' ' && c != 0)
        || (c > 0x7f && (Character.isSpaceChar(c) || Character.isWhitespace(c)));
  }
}
