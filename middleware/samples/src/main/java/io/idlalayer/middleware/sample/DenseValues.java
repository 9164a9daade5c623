package io.idlalayer.middleware.sample;

import java.nio.ByteBuffer;

/**
 * Stores the dense values of a sample in the shortest of these forms that gives back the same bits.
 * Confined to one thread.
 *
 * <pre>
 *  form         bytes
 *  FLOATS       4 each: all are floats
 *  DECIMALS     4 each: all are decimals of {@link NumberForm#DECIMAL}
 *  MIXED        2 bits each, which name a form of {@link NumberForm}, then each in its form
 *  LEVELS + i   1 each: all are k/255, as a double, as a float, or with the digits of a float
 *  DOUBLES      8 each: MIXED would hardly be shorter, and takes longer to read
 * </pre>
 */
final class DenseValues {
  private static final int FLOATS = 0;
  private static final int DECIMALS = 1;
  private static final int MIXED = 2;
  private static final int LEVELS = 3;

  /**
   * {@link #MIXED} is used only if it saves at least this part of the bytes of {@link #DOUBLES}.
   */
  private static final double SAVING = 1 / 16.0;

  /** Bytes that the shortest form of a number saves. */
  private static final int SAVED_MOST = 4;

  private static final int LEVEL_COUNT = 256;
  private static final int TAG_BITS = 2;
  private static final int TAGS_PER_BYTE = Byte.SIZE / TAG_BITS;
  private static final int TAG_MASK = (1 << TAG_BITS) - 1;
  private static final double[][] LEVEL_VALUES = levels();

  private static final int DOUBLES = 6;

  /** Largest number of a form. */
  static final int LAST_FORM = DOUBLES;

  // The fields below belong to the values that were measured last.
  private int form;
  private int bytes;

  /** The form of each value; not used if all are floats or levels. */
  private byte[] tags = {};

  private static double[][] levels() {
    double[][] levels = new double[3][LEVEL_COUNT];
    for (int k = 0; k < LEVEL_COUNT; k++) {
      levels[0][k] = k / 255.0;
      levels[1][k] = k / 255f;
      levels[2][k] = Double.parseDouble(Float.toString(k / 255f));
    }
    return levels;
  }

  /** Chooses the form in which {@link #write} then writes these values. */
  void measure(double[] values) {
    form = chosen(values);
    bytes =
        switch (form) {
          case FLOATS, DECIMALS -> 4 * values.length;
          case MIXED -> mixedBytes(values.length);
          case DOUBLES -> Double.BYTES * values.length;
          default -> values.length;
        };
  }

  /** Returns the form of the measured values. */
  int form() {
    return form;
  }

  /** Returns the number of bytes of the measured values. */
  int bytes() {
    return bytes;
  }

  private int chosen(double[] values) {
    int level = levels(values);
    if (level >= 0) {
      return LEVELS + level;
    }
    int floats = 0;
    while (floats < values.length && NumberForm.isFloat(values[floats])) {
      floats++;
    }
    if (floats == values.length) {
      return FLOATS;
    }
    if (tags.length < values.length) {
      tags = new byte[values.length];
    }
    int doubles = Double.BYTES * values.length;
    double needed = tagBytes(values.length) + SAVING * doubles;
    int saved = 0;
    boolean decimals = true;
    for (int i = 0; i < values.length; i++) {
      tags[i] = (byte) NumberForm.of(values[i]);
      saved += Double.BYTES - NumberForm.bytes(tags[i]);
      decimals &=
          tags[i] == NumberForm.DECIMAL
              || (decimals
                  && tags[i] == NumberForm.FLOAT
                  && NumberForm.decimal(values[i]) != NumberForm.NONE);
      if (saved + SAVED_MOST * (values.length - i - 1) < needed) {
        return DOUBLES;
      }
    }
    return decimals ? DECIMALS : MIXED;
  }

  /** Returns the index of the first list of levels that has all values; -1 if there is none. */
  private static int levels(double[] values) {
    if (values.length == 0) {
      return -1;
    }
    for (int list = 0; list < LEVEL_VALUES.length; list++) {
      int i = 0;
      while (i < values.length && level(list, values[i]) >= 0) {
        i++;
      }
      if (i == values.length) {
        return list;
      }
    }
    return -1;
  }

  /** Returns k if a value is level k, else -1. Minus zero is not a level. */
  private static int level(int list, double value) {
    if (!(value >= 0 && value <= 1)) {
      return -1;
    }
    int k = (int) (value * 255 + 0.5);
    double level = LEVEL_VALUES[list][k];
    return Double.doubleToRawLongBits(level) == Double.doubleToRawLongBits(value) ? k : -1;
  }

  private int mixedBytes(int count) {
    int sum = tagBytes(count);
    for (int i = 0; i < count; i++) {
      sum += NumberForm.bytes(tags[i]);
    }
    return sum;
  }

  private static int tagBytes(int count) {
    return count / TAGS_PER_BYTE + (count % TAGS_PER_BYTE > 0 ? 1 : 0);
  }

  /** Writes the values that were measured last. */
  void write(double[] values, ByteBuffer out) {
    switch (form) {
      case FLOATS -> {
        for (double value : values) {
          out.putFloat((float) value);
        }
      }
      case DECIMALS -> {
        for (double value : values) {
          out.putInt((int) NumberForm.decimal(value));
        }
      }
      case MIXED -> writeMixed(values, out);
      case DOUBLES -> {
        out.asDoubleBuffer().put(values);
        out.position(out.position() + Double.BYTES * values.length);
      }
      default -> {
        for (double value : values) {
          out.put((byte) level(form - LEVELS, value));
        }
      }
    }
  }

  private void writeMixed(double[] values, ByteBuffer out) {
    for (int from = 0; from < values.length; from += TAGS_PER_BYTE) {
      int packed = 0;
      for (int i = from; i < Math.min(values.length, from + TAGS_PER_BYTE); i++) {
        packed |= tags[i] << ((i - from) * TAG_BITS);
      }
      out.put((byte) packed);
    }
    for (int i = 0; i < values.length; i++) {
      NumberForm.put(values[i], tags[i], out);
    }
  }

  /**
   * Returns the number of bytes of the values that a buffer has at its position, as far as the
   * bytes before the buffer's limit allow to compute it.
   *
   * @param form 0 to {@link #LAST_FORM}
   */
  static long bytes(int form, int count, ByteBuffer in) {
    return switch (form) {
      case FLOATS, DECIMALS -> 4L * count;
      case MIXED -> mixedBytes(count, in);
      case DOUBLES -> (long) Double.BYTES * count;
      default -> count;
    };
  }

  private static long mixedBytes(int count, ByteBuffer in) {
    long sum = tagBytes(count);
    if (sum > in.remaining()) {
      return sum + 4L * count;
    }
    for (int i = 0; i < count; i++) {
      sum += NumberForm.bytes(tag(in, in.position(), i));
    }
    return sum;
  }

  private static int tag(ByteBuffer in, int tagsFrom, int index) {
    int shift = (index % TAGS_PER_BYTE) * TAG_BITS;
    return (in.get(tagsFrom + index / TAGS_PER_BYTE) >> shift) & TAG_MASK;
  }

  /** Reads values. The buffer must contain all their bytes. */
  static double[] read(int form, int count, ByteBuffer in) {
    double[] dense = new double[count];
    switch (form) {
      case FLOATS -> {
        for (int i = 0; i < count; i++) {
          dense[i] = in.getFloat();
        }
      }
      case DECIMALS -> {
        for (int i = 0; i < count; i++) {
          dense[i] = NumberForm.ofDecimal(in.getInt());
        }
      }
      case MIXED -> readMixed(dense, in);
      case DOUBLES -> {
        in.asDoubleBuffer().get(dense);
        in.position(in.position() + Double.BYTES * count);
      }
      default -> {
        double[] levels = LEVEL_VALUES[form - LEVELS];
        for (int i = 0; i < count; i++) {
          dense[i] = levels[in.get() & 0xFF];
        }
      }
    }
    return dense;
  }

  private static void readMixed(double[] dense, ByteBuffer in) {
    int at = in.position();
    in.position(at + tagBytes(dense.length));
    for (int i = 0; i < dense.length; i++) {
      dense[i] = NumberForm.get(tag(in, at, i), in);
    }
  }
}
