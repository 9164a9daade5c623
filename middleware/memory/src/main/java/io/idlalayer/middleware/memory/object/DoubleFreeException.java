package io.idlalayer.middleware.memory.object;

import io.idlalayer.middleware.memory.device.TieredMemoryException;

/** Thrown if code frees a region that is not in use. */
final class DoubleFreeException extends TieredMemoryException {
  private static final long serialVersionUID = 1L;

  DoubleFreeException(String message) {
    super(message);
  }
}
