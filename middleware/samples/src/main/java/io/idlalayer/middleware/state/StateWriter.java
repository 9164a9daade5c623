package io.idlalayer.middleware.state;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Writes one state in a {@link StateFormat}, field by field, in ascending order of tags. Not
 * thread-safe; used once.
 */
public final class StateWriter {
  private static final int FIRST_CAPACITY = 256;
  private static final VarHandle INTS =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private final StateFormat format;
  private byte[] bytes = new byte[FIRST_CAPACITY];
  private int length;
  private int lastTag;

  StateWriter(StateFormat format) {
    this.format = format;
    byte[] name = format.asciiName();
    u8(name.length);
    raw(name);
    u8(format.version());
  }

  public StateWriter putBoolean(int tag, boolean value) {
    header(tag, FieldType.BOOLEAN);
    u8(value ? 1 : 0);
    return this;
  }

  public StateWriter putInt(int tag, int value) {
    header(tag, FieldType.INT);
    i32(value);
    return this;
  }

  public StateWriter putLong(int tag, long value) {
    header(tag, FieldType.LONG);
    i64(value);
    return this;
  }

  /** Writes a field with the exact bits of a float, NaN included. */
  public StateWriter putFloat(int tag, float value) {
    header(tag, FieldType.FLOAT);
    i32(Float.floatToRawIntBits(value));
    return this;
  }

  /** Writes a field with the exact bits of a double, NaN included. */
  public StateWriter putDouble(int tag, double value) {
    header(tag, FieldType.DOUBLE);
    i64(Double.doubleToRawLongBits(value));
    return this;
  }

  public StateWriter putText(int tag, String value) {
    return sized(tag, FieldType.TEXT, value.getBytes(StandardCharsets.UTF_8));
  }

  /** Writes a field with bytes of any meaning, such as a state within this state. */
  public StateWriter putBytes(int tag, byte[] value) {
    return sized(tag, FieldType.BYTES, value);
  }

  public StateWriter putInts(int tag, int[] values) {
    header(tag, FieldType.INTS, values.length, Integer.BYTES);
    for (int value : values) {
      i32(value);
    }
    return this;
  }

  public StateWriter putLongs(int tag, long[] values) {
    header(tag, FieldType.LONGS, values.length, Long.BYTES);
    for (long value : values) {
      i64(value);
    }
    return this;
  }

  public StateWriter putFloats(int tag, float[] values) {
    header(tag, FieldType.FLOATS, values.length, Float.BYTES);
    for (float value : values) {
      i32(Float.floatToRawIntBits(value));
    }
    return this;
  }

  public StateWriter putDoubles(int tag, double[] values) {
    header(tag, FieldType.DOUBLES, values.length, Double.BYTES);
    for (double value : values) {
      i64(Double.doubleToRawLongBits(value));
    }
    return this;
  }

  /**
   * Writes a field with a list of byte strings, such as states within this state; the list can be
   * empty.
   */
  public StateWriter putList(int tag, List<byte[]> values) {
    long size = 0;
    for (byte[] value : values) {
      size += Integer.BYTES + (long) value.length;
    }
    header(tag, FieldType.LIST, size, 1);
    for (byte[] value : values) {
      i32(value.length);
      raw(value);
    }
    return this;
  }

  /** Writes a field with a list of texts. The list can be empty. */
  public StateWriter putTexts(int tag, List<String> values) {
    return putList(
        tag, values.stream().map(text -> text.getBytes(StandardCharsets.UTF_8)).toList());
  }

  /** Returns the bytes of the state: its header and all fields written so far. */
  public byte[] bytes() {
    return Arrays.copyOf(bytes, length);
  }

  private StateWriter sized(int tag, FieldType type, byte[] value) {
    header(tag, type, value.length, 1);
    raw(value);
    return this;
  }

  private void header(int tag, FieldType type, long count, int bytesEach) {
    header(tag, type);
    int size = Math.toIntExact(count * bytesEach);
    i32(size);
    reserve(size);
  }

  private void header(int tag, FieldType type) {
    if (tag <= lastTag || tag > 255) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "state '%s': tag %d after %d; tags must ascend and be at most 255",
              format.name(),
              tag,
              lastTag));
    }
    lastTag = tag;
    u8(tag);
    u8(type.code);
  }

  private void u8(int value) {
    reserve(1);
    bytes[length++] = (byte) value;
  }

  private void i32(int value) {
    reserve(Integer.BYTES);
    INTS.set(bytes, length, value);
    length += Integer.BYTES;
  }

  private void i64(long value) {
    reserve(Long.BYTES);
    LONGS.set(bytes, length, value);
    length += Long.BYTES;
  }

  private void raw(byte[] value) {
    reserve(value.length);
    System.arraycopy(value, 0, bytes, length, value.length);
    length += value.length;
  }

  private void reserve(int more) {
    int needed = Math.addExact(length, more);
    if (needed > bytes.length) {
      bytes = Arrays.copyOf(bytes, (int) Math.max(needed, Math.min(bytes.length * 2L, 1 << 30)));
    }
  }
}
