package io.idlalayer.middleware.cache.shared;

/**
 * Thrown if a file at a path was not created by a process of this user. Another path is then tried.
 */
final class ForeignFileException extends UnusableFileException {
  private static final long serialVersionUID = 1L;

  ForeignFileException(String message) {
    super(message);
  }
}
