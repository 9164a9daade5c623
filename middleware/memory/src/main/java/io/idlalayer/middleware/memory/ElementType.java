package io.idlalayer.middleware.memory;

/** What the elements of an array are. */
public enum ElementType {
  /** 8 bits. */
  BYTE(Byte.BYTES),
  /** 32 bits, IEEE 754. */
  FLOAT(Float.BYTES),
  /** 64 bits. */
  LONG(Long.BYTES);

  private final int bytes;

  ElementType(int bytes) {
    this.bytes = bytes;
  }

  /** Bytes of an element. */
  public int bytes() {
    return bytes;
  }
}
