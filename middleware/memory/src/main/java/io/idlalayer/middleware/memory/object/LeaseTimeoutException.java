package io.idlalayer.middleware.memory.object;

import io.idlalayer.middleware.memory.device.TieredMemoryException;

/**
 * Thrown if a thread that wanted a lease or a move waited too long for other leases or moves of the
 * object.
 */
public final class LeaseTimeoutException extends TieredMemoryException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception; the message says what waited, for which object, and how long. */
  public LeaseTimeoutException(String message) {
    super(message);
  }
}
