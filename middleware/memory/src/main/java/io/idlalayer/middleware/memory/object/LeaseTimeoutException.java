package io.idlalayer.middleware.memory.object;

import io.idlalayer.middleware.memory.device.TieredMemoryException;

/** A lease or a move waited too long for those that held what it needs. */
public final class LeaseTimeoutException extends TieredMemoryException {
  private static final long serialVersionUID = 1L;

  /** Says who waited for what, how long, and for whom. */
  public LeaseTimeoutException(String message) {
    super(message);
  }
}
