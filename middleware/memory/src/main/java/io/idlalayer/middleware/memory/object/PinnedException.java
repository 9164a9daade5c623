package io.idlalayer.middleware.memory.object;

import io.idlalayer.middleware.memory.device.TieredMemoryException;

/**
 * Thrown if an object cannot move because it is pinned, or because a thread holds a lease to write
 * it.
 */
public final class PinnedException extends TieredMemoryException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception; the message says which object cannot move and why. */
  public PinnedException(String message) {
    super(message);
  }
}
