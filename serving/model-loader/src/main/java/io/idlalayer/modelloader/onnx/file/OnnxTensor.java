package io.idlalayer.modelloader.onnx.file;

import io.idlalayer.modelruntime.artifact.MalformedModelException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * An array of an ONNX file. Its numbers are decoded at their use; until then they are bytes of the
 * file.
 *
 * @param name name of the array; "" in an attribute
 * @param type number of its type in ONNX
 * @param shape sizes of its dimensions; empty for a single number
 * @param raw its numbers, little-endian; null if they are in {@code listed}, or are texts
 * @param listed its numbers in a list of Protobuf; null if they are in {@code raw}
 * @param texts its texts; empty for numbers
 */
public record OnnxTensor(
    String name,
    int type,
    long[] shape,
    @Nullable ByteBuffer raw,
    double @Nullable [] listed,
    List<String> texts) {
  public static final int FLOAT = 1;
  public static final int INT64 = 7;
  public static final int STRING = 8;
  public static final int DOUBLE = 11;
  private static final int UINT8 = 2;
  private static final int INT8 = 3;
  private static final int INT32 = 6;
  private static final int BOOL = 9;
  private static final int FLOAT16 = 10;
  private static final int BFLOAT16 = 16;

  /** Returns whether numbers of a type of ONNX have decimals. */
  public static boolean holdsDecimals(int type) {
    return type == FLOAT || type == DOUBLE || type == FLOAT16 || type == BFLOAT16;
  }

  /** Returns whether numbers of a type of ONNX are whole and wide enough for the ids of rows. */
  public static boolean holdsIds(int type) {
    return type == INT32 || type == INT64;
  }

  /** Returns the number of elements that the shape names. */
  public int length() throws MalformedModelException {
    return length(shape, label());
  }

  static int length(long[] shape, String label) throws MalformedModelException {
    long length = 1;
    for (long size : shape) {
      if (size < 0 || size > Integer.MAX_VALUE) {
        throw new MalformedModelException(
            "%s has the shape %s".formatted(label, Arrays.toString(shape)));
      }
      length *= size;
      if (length > Integer.MAX_VALUE) {
        throw new MalformedModelException(
            "%s has the shape %s, more numbers than can be read"
                .formatted(label, Arrays.toString(shape)));
      }
    }
    return (int) length;
  }

  /** Returns how messages name this array. */
  public String label() {
    return name.isEmpty() ? "an array" : "array '%s'".formatted(name);
  }

  /**
   * Returns the array's numbers, row by row, as many as its shape says.
   *
   * @throws MalformedModelException if the array has another count of numbers, or numbers of an
   *     unknown type
   */
  public double[] numbers() throws MalformedModelException {
    int length = length();
    ByteBuffer bytes = raw;
    double[] list = listed;
    int bits = bytesOfNumber();
    long found = bytes == null ? list == null ? 0 : list.length : bytes.remaining() / (long) bits;
    if (found != length || (bytes != null && bytes.remaining() % bits != 0)) {
      throw new MalformedModelException(
          String.format(
              Locale.ROOT,
              "%s has the shape %s, and %d numbers",
              label(),
              Arrays.toString(shape),
              found));
    }
    double[] numbers = new double[length];
    for (int i = 0; i < length; i++) {
      numbers[i] = bytes != null ? number(bytes, i) : list == null ? 0 : list(list[i]);
    }
    return numbers;
  }

  private int bytesOfNumber() throws MalformedModelException {
    return switch (type) {
      case FLOAT, INT32 -> 4;
      case DOUBLE, INT64 -> 8;
      case FLOAT16, BFLOAT16 -> 2;
      case UINT8, INT8, BOOL -> 1;
      default ->
          throw new MalformedModelException(
              String.format(
                      Locale.ROOT,
                      "%s has numbers of type %d, which is not read; float, double, float16,"
                          + " bfloat16 and",
                      label(),
                      type)
                  + " whole numbers are");
    };
  }

  private double number(ByteBuffer bytes, int i) {
    return switch (type) {
      case FLOAT -> bytes.getFloat(4 * i);
      case DOUBLE -> bytes.getDouble(8 * i);
      case INT32 -> bytes.getInt(4 * i);
      case INT64 -> bytes.getLong(8 * i);
      case FLOAT16 -> half(bytes.getShort(2 * i));
      case BFLOAT16 -> Float.intBitsToFloat(bytes.getShort(2 * i) << Short.SIZE);
      case UINT8, BOOL -> bytes.get(i) & 0xFF;
      default -> bytes.get(i);
    };
  }

  /** Decodes a number of a list: the list has a 16-bit number as an integer of its bits. */
  private double list(double listedNumber) {
    return switch (type) {
      case FLOAT16 -> half((short) listedNumber);
      case BFLOAT16 -> Float.intBitsToFloat((short) listedNumber << Short.SIZE);
      default -> listedNumber;
    };
  }

  /** Returns the value of a number of 16 bits (IEEE 754, binary16). */
  static double half(short bits) {
    int exponent = (bits >> 10) & 0x1F;
    int fraction = bits & 0x3FF;
    double size;
    if (exponent == 0x1F) {
      size = fraction == 0 ? Double.POSITIVE_INFINITY : Double.NaN;
    } else if (exponent == 0) {
      size = Math.scalb((double) fraction, -24);
    } else {
      size = Math.scalb(1024.0 + fraction, exponent - 25);
    }
    return bits < 0 ? -size : size;
  }
}
