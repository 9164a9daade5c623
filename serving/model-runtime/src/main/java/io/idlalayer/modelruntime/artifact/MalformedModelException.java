package io.idlalayer.modelruntime.artifact;

import java.io.IOException;

/**
 * Thrown if the files of a model are not what a trainer writes. Such a model must not be served or
 * trained.
 */
public final class MalformedModelException extends IOException {
  private static final long serialVersionUID = 1L;

  public MalformedModelException(String message) {
    super(message);
  }

  public MalformedModelException(String message, Throwable cause) {
    super(message, cause);
  }
}
