package io.idlalayer.modelloader.imported;

import java.io.IOException;

/**
 * Thrown if a network in a file cannot become that of an application: it has a part that is not
 * known, or another shape. The message names the part and says what would be accepted.
 */
public final class UnimportableException extends IOException {
  private static final long serialVersionUID = 1L;

  public UnimportableException(String message) {
    super(message);
  }
}
