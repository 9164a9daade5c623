package io.idlalayer.middleware.memory;

/** A lease or move waited too long for those that held the object. */
public final class LeaseTimeoutException extends TieredMemoryException {
  private static final long serialVersionUID = 1L;

  LeaseTimeoutException(String message) {
    super(message);
  }
}
