package io.idlalayer.modelloader.onnx.file;

import io.idlalayer.modelruntime.artifact.MalformedModelException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * Reads the fields of a Protobuf message, one after the other, without copying their contents. Each
 * error names the byte of the file at which it was found. Not thread-safe.
 */
final class WireReader {
  private static final int VARINT = 0;
  private static final int FIXED64 = 1;
  private static final int BYTES = 2;
  private static final int FIXED32 = 5;
  private static final int DEEPEST = 32;
  private static final int LONGEST_VARINT = 10;

  private final byte[] file;
  private final int end;
  private final int depth;
  private int at;
  private int field;
  private int type;

  WireReader(byte[] file) {
    this(file, 0, file.length, 0);
  }

  private WireReader(byte[] file, int from, int end, int depth) {
    this.file = file;
    this.end = end;
    this.depth = depth;
    at = from;
  }

  /**
   * Goes to the next field, whose value one of the other methods must then read.
   *
   * @return false at the end of the message
   */
  boolean next() throws MalformedModelException {
    if (at == end) {
      return false;
    }
    long tag = readVarint();
    long number = tag >>> 3;
    if (number < 1 || number > Integer.MAX_VALUE >> 3) {
      throw damaged(String.format(Locale.ROOT, "a field has the number %d", number));
    }
    field = (int) number;
    type = (int) (tag & 7);
    return true;
  }

  int field() {
    return field;
  }

  /** Returns whether the value of the field is a range of bytes, such as a packed list. */
  boolean packed() {
    return type == BYTES;
  }

  /** Returns where in the file the reader is. */
  int offset() {
    return at;
  }

  boolean atEnd() {
    return at == end;
  }

  long varint() throws MalformedModelException {
    expect(VARINT);
    return readVarint();
  }

  float number() throws MalformedModelException {
    expect(FIXED32);
    return readFloat();
  }

  double doubleNumber() throws MalformedModelException {
    expect(FIXED64);
    return readDouble();
  }

  /** Returns a reader of the message, or of the packed list, that the field contains. */
  WireReader message() throws MalformedModelException {
    expect(BYTES);
    int length = length();
    if (depth == DEEPEST) {
      throw damaged(
          String.format(Locale.ROOT, "messages are nested deeper than %d levels", DEEPEST));
    }
    WireReader inner = new WireReader(file, at, at + length, depth + 1);
    at += length;
    return inner;
  }

  /** Returns the bytes that the field contains, little-endian and not copied. */
  ByteBuffer bytes() throws MalformedModelException {
    expect(BYTES);
    int length = length();
    ByteBuffer bytes = ByteBuffer.wrap(file, at, length).slice().order(ByteOrder.LITTLE_ENDIAN);
    at += length;
    return bytes;
  }

  String text() throws MalformedModelException {
    int start = at;
    ByteBuffer bytes = bytes();
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(bytes).toString();
    } catch (CharacterCodingException broken) {
      at = start;
      throw damaged("a text is not UTF-8");
    }
  }

  void skip() throws MalformedModelException {
    switch (type) {
      case VARINT -> readVarint();
      case FIXED64 -> take(Long.BYTES);
      case FIXED32 -> take(Integer.BYTES);
      case BYTES -> {
        int length = length();
        at += length;
      }
      default ->
          throw damaged(
              String.format(Locale.ROOT, "field %d has the unknown wire type %d", field, type));
    }
  }

  /** Reads a whole number of a packed list. */
  long readVarint() throws MalformedModelException {
    long value = 0;
    for (int i = 0; i < LONGEST_VARINT; i++) {
      if (at == end) {
        throw damaged("a number is cut off");
      }
      byte next = file[at++];
      value |= (next & 0x7FL) << (7 * i);
      if (next >= 0) {
        return value;
      }
    }
    throw damaged(String.format(Locale.ROOT, "a number has more than %d bytes", LONGEST_VARINT));
  }

  /** Reads a number of a packed list. */
  float readFloat() throws MalformedModelException {
    int from = take(Float.BYTES);
    return ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN).getFloat(from);
  }

  /** Reads a number of a packed list. */
  double readDouble() throws MalformedModelException {
    int from = take(Double.BYTES);
    return ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN).getDouble(from);
  }

  private int take(int bytes) throws MalformedModelException {
    if (end - at < bytes) {
      throw damaged(
          String.format(Locale.ROOT, "%d bytes are expected and %d are left", bytes, end - at));
    }
    int from = at;
    at += bytes;
    return from;
  }

  private int length() throws MalformedModelException {
    long length = readVarint();
    if (length < 0 || length > end - at) {
      throw damaged(
          String.format(
              Locale.ROOT,
              "field %d says that it has %s bytes, and %d are left",
              field,
              Long.toUnsignedString(length),
              end - at));
    }
    return (int) length;
  }

  private void expect(int expected) throws MalformedModelException {
    if (type != expected) {
      throw damaged(
          String.format(
              Locale.ROOT, "field %d has the wire type %d in place of %d", field, type, expected));
    }
  }

  MalformedModelException damaged(String what) {
    return new MalformedModelException(
        String.format(Locale.ROOT, "it is damaged, or is not ONNX, at byte %d: %s", at, what));
  }
}
