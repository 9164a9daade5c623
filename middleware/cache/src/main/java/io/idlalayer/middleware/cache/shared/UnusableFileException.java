package io.idlalayer.middleware.cache.shared;

import java.io.IOException;

/** A file or directory that cannot be used for the shared cache, and why. */
class UnusableFileException extends IOException {
  private static final long serialVersionUID = 1L;

  public UnusableFileException(String message) {
    super(message);
  }

  UnusableFileException(String message, Throwable cause) {
    super(message, cause);
  }
}
