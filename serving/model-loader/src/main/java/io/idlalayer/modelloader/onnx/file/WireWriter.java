package io.idlalayer.modelloader.onnx.file;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * Writes a message in the wire format of Protocol Buffers. Fields are written in the order of the
 * calls, which should be the order of the field numbers. As in version 3 of the format, a number of
 * 0 and an empty text are omitted. Not thread-safe.
 */
public final class WireWriter {
  private static final int VARINT = 0;
  private static final int DELIMITED = 2;
  private static final int FIXED_32 = 5;
  private static final int TYPE_BITS = 3;
  private static final int VARINT_BITS = 7;
  private static final int VARINT_MASK = 0x7F;
  private static final int MORE = 0x80;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  private void tag(int field, int type) {
    varint((long) field << TYPE_BITS | type);
  }

  private void varint(long value) {
    long left = value;
    while ((left & ~VARINT_MASK) != 0) {
      out.write((int) (left & VARINT_MASK) | MORE);
      left >>>= VARINT_BITS;
    }
    out.write((int) left);
  }

  /** Writes an integer, unless it is 0. */
  public WireWriter integer(int field, long value) {
    return value == 0 ? this : chosen(field, value);
  }

  /** Writes an integer that is one of several alternatives; it is written even if it is 0. */
  public WireWriter chosen(int field, long value) {
    tag(field, VARINT);
    varint(value);
    return this;
  }

  /** Writes integers, unless there are none. */
  public WireWriter integers(int field, long... values) {
    if (values.length == 0) {
      return this;
    }
    WireWriter packed = new WireWriter();
    for (long each : values) {
      packed.varint(each);
    }
    return message(field, packed);
  }

  /** Writes a number of 32 bits, unless it is 0. */
  public WireWriter number(int field, float value) {
    if (Float.floatToRawIntBits(value) == 0) {
      return this;
    }
    tag(field, FIXED_32);
    byte[] bytes = new byte[Float.BYTES];
    ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putFloat(value);
    out.writeBytes(bytes);
    return this;
  }

  /** Writes a text, unless it is empty. */
  public WireWriter text(int field, String value) {
    return value.isEmpty() ? this : element(field, value);
  }

  /** Writes one text of a list, even if the text is empty. */
  public WireWriter element(int field, String value) {
    return bytes(field, value.getBytes(StandardCharsets.UTF_8));
  }

  public WireWriter bytes(int field, byte[] value) {
    tag(field, DELIMITED);
    varint(value.length);
    out.writeBytes(value);
    return this;
  }

  public WireWriter message(int field, WireWriter message) {
    tag(field, DELIMITED);
    varint(message.out.size());
    out.writeBytes(message.out.toByteArray());
    return this;
  }

  /** Returns all bytes that were written. */
  public byte[] toByteArray() {
    return out.toByteArray();
  }
}
