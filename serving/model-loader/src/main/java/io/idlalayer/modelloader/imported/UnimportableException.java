package io.idlalayer.modelloader.imported;

import java.io.IOException;

/**
 * Thrown if the network in a file cannot become the network of an application: it has an unknown
 * part, or another shape. The message names the part and says what would be accepted.
 */
public final class UnimportableException extends IOException {
  private static final long serialVersionUID = 1L;

  public UnimportableException(String message) {
    super(message);
  }
}
