package io.idlalayer.middleware.models.storage.cache;

import java.io.IOException;

/** Thrown if a copy in the folder differs from what was written. */
final class DamagedCopyException extends IOException {
  private static final long serialVersionUID = 1L;

  DamagedCopyException(String message) {
    super(message);
  }
}
