package io.idlalayer.middleware.sample.format;

import com.fasterxml.jackson.core.io.NumberInput;

/**
 * Parses JSON numbers from bytes, with the values that Jackson gives them. Whole numbers of up to
 * 18 digits, and fractions whose digits are a number up to 2^53, take one operation that rounds
 * once, because the powers of ten up to 10^22 are exact (Clinger 1990). Other fractions are parsed
 * by Jackson. Longer whole numbers are not parsed here. Confined to one thread.
 */
final class PlainNumber {
  /**
   * Largest number of characters of a number that is parsed here; Jackson parses longer numbers.
   */
  private static final int LENGTH_MAX = 64;

  /** Largest number of decimal digits that always fit into a long. */
  private static final int DIGITS_MAX = 18;

  private static final long EXACT_MAX = 1L << 53;
  private static final double[] POWERS = {
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17
  };

  private final char[] text = new char[LENGTH_MAX];
  private int end;
  private double value;

  /** Returns the index after the number that was parsed last. */
  int end() {
    return end;
  }

  /** Returns the value of the number that was parsed last. */
  double value() {
    return value;
  }

  /**
   * Parses the number that begins at an index.
   *
   * @param from index of the first byte of the number
   * @return false if there is no number at this index, or a number that is not parsed here
   */
  boolean read(byte[] bytes, int from) {
    int at = from;
    boolean negative = at < bytes.length && bytes[at] == '-';
    at += negative ? 1 : 0;
    int first = at;
    long digits = 0;
    while (at < bytes.length && isDigit(bytes[at])) {
      digits = 10 * digits + bytes[at++] - '0';
    }
    int whole = at - first;
    if (whole == 0 || (whole > 1 && bytes[first] == '0')) {
      return false;
    }
    int fraction = 0;
    if (at < bytes.length && bytes[at] == '.') {
      int point = at++;
      while (at < bytes.length && isDigit(bytes[at])) {
        digits = 10 * digits + bytes[at++] - '0';
      }
      fraction = at - point - 1;
      if (fraction == 0) {
        return false;
      }
    }
    boolean exponent = at < bytes.length && (bytes[at] | 0x20) == 'e';
    if (exponent) {
      at = endOfExponent(bytes, at);
    }
    if (at < 0 || at - from > LENGTH_MAX) {
      return false;
    }
    end = at;
    boolean isWhole = fraction == 0 && !exponent;
    boolean isExact =
        !exponent && whole + fraction <= DIGITS_MAX && (isWhole || digits <= EXACT_MAX);
    if (isExact) {
      double magnitude = digits / POWERS[fraction];
      // A whole number that is zero has no sign.
      value = negative && !(isWhole && digits == 0) ? -magnitude : magnitude;
      return true;
    }
    return !isWhole && hard(bytes, from);
  }

  private static int endOfExponent(byte[] bytes, int from) {
    int at = from + 1;
    if (at < bytes.length && (bytes[at] == '+' || bytes[at] == '-')) {
      at++;
    }
    int first = at;
    while (at < bytes.length && isDigit(bytes[at])) {
      at++;
    }
    return at == first ? -1 : at;
  }

  private boolean hard(byte[] bytes, int from) {
    int length = end - from;
    for (int i = 0; i < length; i++) {
      text[i] = (char) bytes[from + i];
    }
    value = NumberInput.parseDouble(text, 0, length, true);
    return true;
  }

  private static boolean isDigit(byte b) {
    return b >= '0' && b <= '9';
  }
}
