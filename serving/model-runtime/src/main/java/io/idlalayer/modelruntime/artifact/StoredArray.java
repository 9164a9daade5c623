package io.idlalayer.modelruntime.artifact;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * An array as {@code Nd4j.write} writes it. ND4J's own reader trusts the lengths, strides and types
 * in the bytes; this class checks each against the available bytes before it allocates anything.
 *
 * <pre>
 * text "MIXED_DATA_TYPES", long 2 rank + 4, text "LONG",
 * longs: rank, shape, strides, type bits, 1, 'c' or 'f'
 * text "MIXED_DATA_TYPES", long values, text "FLOAT" or "DOUBLE", values
 * </pre>
 *
 * Numbers are big-endian; a text is its length in two bytes and its characters.
 *
 * @param order 'c' if the last index of the values runs fastest, 'f' if the first one does
 * @param floats values of a FLOAT array, else null
 * @param doubles values of a DOUBLE array, else null
 */
public record StoredArray(
    long[] shape, char order, float @Nullable [] floats, double @Nullable [] doubles) {
  private static final String MODE = "MIXED_DATA_TYPES";
  private static final int MOST_DIMENSIONS = 32;
  private static final int FIXED_LONGS = 4;

  /** Stands for the length in {@link #VECTOR}. */
  private static final long LENGTH = -1;

  /** ND4J's type bits of a FLOAT array. */
  private static final long FLOAT_BITS = 8_192;

  /** Rank, shape, stride, type bits, step and order of a vector. */
  private static final long[] VECTOR = {1, LENGTH, 1, FLOAT_BITS, 1, 'c'};

  private static final int VECTOR_HEAD_BYTES = 256;

  /**
   * Reads the next array of a file.
   *
   * @param what name of the array, for messages
   * @throws MalformedModelException if there is no array, or its type is not FLOAT or DOUBLE
   */
  public static StoredArray read(ByteBuffer in, String what) throws MalformedModelException {
    try {
      return array(in, what);
    } catch (BufferUnderflowException cut) {
      throw new MalformedModelException(what + " is cut off", cut);
    }
  }

  /** Refuses bytes after the last array. */
  public static void checkEnd(ByteBuffer in, String what) throws MalformedModelException {
    if (in.hasRemaining()) {
      throw new MalformedModelException(
          String.format(Locale.ROOT, "%s is followed by %d bytes too many", what, in.remaining()));
    }
  }

  /**
   * Returns the bytes before the values of a vector of FLOAT numbers.
   *
   * @param length number of values, at least 1
   */
  public static byte[] head(long length) {
    ByteBuffer head = ByteBuffer.allocate(VECTOR_HEAD_BYTES);
    put(head, MODE);
    head.putLong(VECTOR.length);
    put(head, "LONG");
    for (long each : VECTOR) {
      head.putLong(each == LENGTH ? length : each);
    }
    put(head, MODE);
    head.putLong(length);
    put(head, "FLOAT");
    return Arrays.copyOf(head.array(), head.position());
  }

  private static void put(ByteBuffer head, String text) {
    head.putShort((short) text.length());
    head.put(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  private static StoredArray array(ByteBuffer in, String what) throws MalformedModelException {
    expect(in, MODE, what);
    long longs = in.getLong();
    expect(in, "LONG", what);
    long rank = in.getLong();
    if (rank < 0 || rank > MOST_DIMENSIONS || longs != 2 * rank + FIXED_LONGS) {
      throw new MalformedModelException(
          String.format(
              Locale.ROOT,
              "%s says that it has %d dimensions, but describes them with %d numbers",
              what,
              rank,
              longs));
    }
    long[] shape = longs(in, (int) rank);
    // Strides and type bits follow from the rest.
    longs(in, (int) rank + 1);
    long step = in.getLong();
    long order = in.getLong();
    if (step != 1 || (order != 'c' && order != 'f')) {
      throw new MalformedModelException(
          String.format(
              Locale.ROOT,
              "%s is stored with step %d and order %d, which are not supported",
              what,
              step,
              order));
    }
    expect(in, MODE, what);
    long length = in.getLong();
    String type = text(in, what);
    int width = width(type, what);
    if (length < 1 || length != product(shape, what) || length > in.remaining() / width) {
      throw new MalformedModelException(
          String.format(
              Locale.ROOT,
              "%s of shape %s says that it has %d values of %d bytes; %d bytes are there",
              what,
              Arrays.toString(shape),
              length,
              width,
              in.remaining()));
    }
    return values(in, (int) length, shape, (char) order, width);
  }

  private static StoredArray values(
      ByteBuffer in, int length, long[] shape, char order, int width) {
    if (width == Float.BYTES) {
      float[] values = new float[length];
      in.asFloatBuffer().get(values);
      in.position(in.position() + length * Float.BYTES);
      return new StoredArray(shape, order, values, null);
    }
    double[] values = new double[length];
    in.asDoubleBuffer().get(values);
    in.position(in.position() + length * Double.BYTES);
    return new StoredArray(shape, order, null, values);
  }

  private static int width(String type, String what) throws MalformedModelException {
    if (type.equals("FLOAT")) {
      return Float.BYTES;
    } else if (type.equals("DOUBLE")) {
      return Double.BYTES;
    }
    throw new MalformedModelException(
        "%s is of type %s; FLOAT and DOUBLE are read".formatted(what, type));
  }

  private static long product(long[] shape, String what) throws MalformedModelException {
    long product = 1;
    for (long size : shape) {
      if (size < 1 || size > Integer.MAX_VALUE || product > Integer.MAX_VALUE) {
        throw new MalformedModelException(
            "%s has shape %s".formatted(what, Arrays.toString(shape)));
      }
      product *= size;
    }
    return product;
  }

  private static long[] longs(ByteBuffer in, int count) {
    long[] longs = new long[count];
    for (int i = 0; i < count; i++) {
      longs[i] = in.getLong();
    }
    return longs;
  }

  private static void expect(ByteBuffer in, String text, String what)
      throws MalformedModelException {
    String found = text(in, what);
    if (!found.equals(text)) {
      throw new MalformedModelException(
          "%s has '%s' where '%s' was expected".formatted(what, found, text));
    }
  }

  private static String text(ByteBuffer in, String what) throws MalformedModelException {
    int length = Short.toUnsignedInt(in.getShort());
    if (length > MODE.length()) {
      throw new MalformedModelException(what + " does not begin like an array of ND4J");
    }
    byte[] characters = new byte[length];
    in.get(characters);
    return new String(characters, StandardCharsets.ISO_8859_1).replaceAll("\\p{Cntrl}", "?");
  }
}
