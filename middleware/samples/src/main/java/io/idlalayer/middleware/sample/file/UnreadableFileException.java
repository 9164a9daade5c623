package io.idlalayer.middleware.sample.file;

import java.io.IOException;

/**
 * What a file holds cannot be read: it is damaged, or of a kind or in an encoding that is not read.
 * It is not read again until the file has changed.
 */
public final class UnreadableFileException extends IOException {
  private static final long serialVersionUID = 1L;

  UnreadableFileException(String message) {
    super(message);
  }

  UnreadableFileException(String message, Throwable cause) {
    super(message, cause);
  }
}
