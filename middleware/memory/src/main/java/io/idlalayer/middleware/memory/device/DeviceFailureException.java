package io.idlalayer.middleware.memory.device;

import org.jspecify.annotations.Nullable;

/** Thrown if a device could not be opened, read or written because its medium failed. */
public class DeviceFailureException extends TieredMemoryException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception; the message says which device, what was tried and, if known, why it
   * failed.
   */
  public DeviceFailureException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
