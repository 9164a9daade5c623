package io.idlalayer.middleware.capacity;

/** Thrown if a device has too little memory for a network, however much is moved out of it. */
public final class InfeasibleException extends Exception {
  private static final long serialVersionUID = 1L;

  /** Bytes that the device needs at least. */
  private final long leastBytes;

  InfeasibleException(String system, long deviceBytes, long leastBytes) {
    super(
        "%s: a device has %,d bytes; this network needs at least %,d"
            .formatted(system, deviceBytes, leastBytes));
    this.leastBytes = leastBytes;
  }

  /** Returns the bytes that the device needs at least. */
  public long leastBytes() {
    return leastBytes;
  }
}
