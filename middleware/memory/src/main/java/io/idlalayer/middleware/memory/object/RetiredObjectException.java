package io.idlalayer.middleware.memory.object;

import io.idlalayer.middleware.memory.device.TieredMemoryException;

/** Thrown if code uses an object after it was retired. */
public final class RetiredObjectException extends TieredMemoryException {
  private static final long serialVersionUID = 1L;

  RetiredObjectException(String message) {
    super(message);
  }
}
