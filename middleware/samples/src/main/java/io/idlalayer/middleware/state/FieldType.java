package io.idlalayer.middleware.state;

import org.jspecify.annotations.Nullable;

/** Types of the fields of a state. The code is part of the format; never reuse one. */
enum FieldType {
  BOOLEAN(1, 1),
  INT(2, Integer.BYTES),
  LONG(3, Long.BYTES),
  FLOAT(4, Float.BYTES),
  DOUBLE(5, Double.BYTES),
  TEXT(6, 0),
  BYTES(7, 0),
  INTS(8, 0),
  LONGS(9, 0),
  FLOATS(10, 0),
  DOUBLES(11, 0),
  LIST(12, 0);

  private static final @Nullable FieldType[] BY_CODE = new FieldType[13];

  static {
    for (FieldType type : values()) {
      BY_CODE[type.code] = type;
    }
  }

  /** Byte that stands for this type in the format. */
  final int code;

  /**
   * Bytes of a value; 0 if the length varies; the length is then written in four bytes before the
   * value.
   */
  final int fixedBytes;

  FieldType(int code, int fixedBytes) {
    this.code = code;
    this.fixedBytes = fixedBytes;
  }

  /** Returns the type that a code stands for; null if there is none. */
  static @Nullable FieldType of(int code) {
    return code < 0 || code >= BY_CODE.length ? null : BY_CODE[code];
  }
}
