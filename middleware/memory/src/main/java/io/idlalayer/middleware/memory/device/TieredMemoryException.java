package io.idlalayer.middleware.memory.device;

import org.jspecify.annotations.Nullable;

/** Thrown if a tiered memory cannot carry out an operation; its contents are unchanged. */
public abstract class TieredMemoryException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  protected TieredMemoryException(String message) {
    super(message);
  }

  protected TieredMemoryException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
