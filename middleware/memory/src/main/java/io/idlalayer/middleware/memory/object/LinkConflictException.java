package io.idlalayer.middleware.memory.object;

import io.idlalayer.middleware.memory.device.TieredMemoryException;

/**
 * Thrown if a link between regions would break the rules of objects: one region per device, and a
 * primary that is never freed nor stale.
 */
final class LinkConflictException extends TieredMemoryException {
  private static final long serialVersionUID = 1L;

  LinkConflictException(String message) {
    super(message);
  }
}
