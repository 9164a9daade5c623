package io.idlalayer.middleware.memory;

/** A region was freed that is not in use. */
public final class DoubleFreeException extends TieredMemoryException {
  private static final long serialVersionUID = 1L;

  DoubleFreeException(String message) {
    super(message);
  }
}
