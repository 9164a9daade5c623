package io.idlalayer.middleware.cache.shared;

/** A path that is not what a process of this user has made, so that another one is tried. */
final class ForeignFileException extends UnusableFileException {
  private static final long serialVersionUID = 1L;

  ForeignFileException(String message) {
    super(message);
  }
}
