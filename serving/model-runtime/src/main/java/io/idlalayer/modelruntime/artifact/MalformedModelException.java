package io.idlalayer.modelruntime.artifact;

import io.idlalayer.middleware.models.manifest.CorruptModelException;

/**
 * Thrown if the files of a model are not what a trainer writes. Such a model must not be served or
 * trained; a subscriber takes the version before it.
 */
public final class MalformedModelException extends CorruptModelException {
  private static final long serialVersionUID = 1L;

  public MalformedModelException(String message) {
    super(message);
  }

  public MalformedModelException(String message, Throwable cause) {
    super(message);
    initCause(cause);
  }
}
