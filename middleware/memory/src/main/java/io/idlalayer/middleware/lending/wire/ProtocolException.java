package io.idlalayer.middleware.lending.wire;

import java.io.IOException;

/** Thrown if the other side of a connection does not keep to the protocol. */
public final class ProtocolException extends IOException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception; the message says what was received. */
  public ProtocolException(String message) {
    super(message);
  }
}
