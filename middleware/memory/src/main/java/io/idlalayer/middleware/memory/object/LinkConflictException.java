package io.idlalayer.middleware.memory.object;

import io.idlalayer.middleware.memory.device.TieredMemoryException;

/**
 * Thrown if code links, unlinks or frees a region, or makes it primary, against the rules: an
 * object has one region per device, and its primary is never freed nor stale.
 */
final class LinkConflictException extends TieredMemoryException {
  private static final long serialVersionUID = 1L;

  LinkConflictException(String message) {
    super(message);
  }
}
