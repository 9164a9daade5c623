package io.idlalayer.middleware.state;

/**
 * Thrown if bytes are not a state of the expected format; the message names the format and the
 * reason.
 */
public final class UnreadableStateException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public UnreadableStateException(String message) {
    super(message);
  }
}
