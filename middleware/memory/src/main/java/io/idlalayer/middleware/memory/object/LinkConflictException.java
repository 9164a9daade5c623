package io.idlalayer.middleware.memory.object;

import io.idlalayer.middleware.memory.device.TieredMemoryException;

/**
 * Thrown if regions are linked, unlinked, freed or made primary against the rules of objects: one
 * region per device, a primary that is never freed nor stale.
 */
final class LinkConflictException extends TieredMemoryException {
  private static final long serialVersionUID = 1L;

  LinkConflictException(String message) {
    super(message);
  }
}
