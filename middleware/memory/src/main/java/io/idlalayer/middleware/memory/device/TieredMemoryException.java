package io.idlalayer.middleware.memory.device;

import org.jspecify.annotations.Nullable;

/** A tiered memory could not do what it was asked to; its contents are as they were before. */
public abstract class TieredMemoryException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  protected TieredMemoryException(String message) {
    super(message);
  }

  protected TieredMemoryException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
