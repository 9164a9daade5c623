package io.idlalayer.middleware.models.manifest;

import java.io.IOException;

/**
 * Thrown if a published version differs from what its manifest or the pointer says. It must not be
 * served.
 */
public class CorruptModelException extends IOException {
  private static final long serialVersionUID = 1L;

  public CorruptModelException(String message) {
    super(message);
  }
}
