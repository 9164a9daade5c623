package io.idlalayer.middleware.memory.object;

import io.idlalayer.middleware.memory.device.TieredMemoryException;

/** Thrown if an object cannot move because it is pinned, or leased to a writer. */
public final class PinnedException extends TieredMemoryException {
  private static final long serialVersionUID = 1L;

  /** Says which object and why. */
  public PinnedException(String message) {
    super(message);
  }
}
