package io.idlalayer.middleware.sample;

import java.nio.ByteBuffer;

/**
 * The forms in which the codec stores a number of 64 bits; each gives back the same bits. A number
 * is stored in the shortest form that gives back the same bits. Most numbers are written with few
 * digits, so they are whole numbers divided by a power of ten. Decoding computes this quotient with
 * one rounding, as parsing the text did, so the decoded number has the same bits as the parsed one.
 *
 * <pre>
 *  form      bytes  content
 *  FLOAT     4      a float
 *  DECIMAL   4      28 bits: a whole number m, and above them 4 bits: k, of m / 10^k
 *  LONG      6      44 bits: m, and 4 bits: k
 *  DOUBLE    8      a double
 * </pre>
 */
final class NumberForm {
  static final int FLOAT = 0;
  static final int DECIMAL = 1;
  static final int LONG = 2;
  static final int DOUBLE = 3;

  /** The result of {@link #decimal} for a number that has no such form. */
  static final long NONE = Long.MIN_VALUE;

  private static final int DIGITS_BITS = 4;
  private static final int DIGITS_MAX = 15;
  private static final int DECIMAL_BITS = 27;
  private static final int LONG_BITS = 43;
  private static final double TWO_ROUNDINGS = 0x1p-51;
  private static final int[] BYTES = {4, 4, 6, 8};
  private static final double[] POWERS = {
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15
  };

  private NumberForm() {}

  /** Returns the number of bytes of a form. */
  static int bytes(int form) {
    return BYTES[form];
  }

  /** Returns the shortest form of a number. */
  static int of(double value) {
    if (isFloat(value)) {
      return FLOAT;
    }
    // A number that has the short form also has the long form, with zeros after m.
    if (decimal(value, LONG_BITS) == NONE) {
      return DOUBLE;
    }
    return decimal(value) == NONE ? LONG : DECIMAL;
  }

  /** Returns whether a number is a float; NaN is one. */
  static boolean isFloat(double value) {
    return (double) (float) value == value || Double.isNaN(value);
  }

  /**
   * Returns a number in the form of {@link #DECIMAL}; {@link #NONE} if it does not have this form.
   */
  static long decimal(double value) {
    return decimal(value, DECIMAL_BITS);
  }

  /**
   * Returns m and k of a number that is m / 10^k, with m below 2^bits.
   *
   * <p>Only the largest k is tried: if a smaller k is possible, the largest k is possible too, with
   * zeros after m.
   */
  private static long decimal(double value, int bits) {
    int spare = bits - 1 - Math.getExponent(value);
    if (spare < 0) {
      return NONE;
    }
    // A power of ten is at most 2^(10 k / 3 + 1).
    int k = Math.min(DIGITS_MAX, spare * 3 / 10);
    double limit = 1L << bits;
    while (k < DIGITS_MAX && Math.abs(value) * POWERS[k + 1] < limit) {
      k++;
    }
    double product = value * POWERS[k];
    double nearest = Math.rint(product);
    // Most numbers with many digits are recognised here without a division: if they were m / 10^k,
    // two roundings could change the product by no more than this.
    if (Math.abs(product - nearest) > Math.abs(nearest) * TWO_ROUNDINGS) {
      return NONE;
    }
    long whole = (long) nearest;
    if (Math.abs(whole) >= 1L << bits
        || Double.doubleToRawLongBits(whole / POWERS[k]) != Double.doubleToRawLongBits(value)) {
      return NONE;
    }
    return (whole << DIGITS_BITS) | k;
  }

  /** Returns the value of a decimal. */
  static double ofDecimal(long decimal) {
    return (decimal >> DIGITS_BITS) / POWERS[(int) decimal & DIGITS_MAX];
  }

  /** Writes a number in a form that fits it, little endian. */
  static void put(double value, int form, ByteBuffer out) {
    switch (form) {
      case FLOAT -> out.putFloat((float) value);
      case DECIMAL -> out.putInt((int) decimal(value));
      case LONG -> {
        long decimal = decimal(value, LONG_BITS);
        out.putInt((int) decimal).putShort((short) (decimal >> Integer.SIZE));
      }
      default -> out.putDouble(value);
    }
  }

  /** Reads a number in a form. */
  static double get(int form, ByteBuffer in) {
    return switch (form) {
      case FLOAT -> in.getFloat();
      case DECIMAL -> ofDecimal(in.getInt());
      case LONG -> {
        long low = in.getInt() & 0xFFFF_FFFFL;
        yield ofDecimal(((long) in.getShort() << Integer.SIZE) | low);
      }
      default -> in.getDouble();
    };
  }
}
