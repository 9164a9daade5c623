package io.idlalayer.middleware.memory;

/** An object was used after it was retired. */
public final class RetiredObjectException extends TieredMemoryException {
  private static final long serialVersionUID = 1L;

  RetiredObjectException(String message) {
    super(message);
  }
}
