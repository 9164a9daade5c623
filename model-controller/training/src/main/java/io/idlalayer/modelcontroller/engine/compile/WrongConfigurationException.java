package io.idlalayer.modelcontroller.engine.compile;

/**
 * Thrown if the configuration of a network has a mistake, so that no library can train the network
 * as its author meant it; the message says which.
 */
public final class WrongConfigurationException extends UncompilableException {
  private static final long serialVersionUID = 1L;

  public WrongConfigurationException(String message) {
    super(message);
  }

  public WrongConfigurationException(String message, Throwable cause) {
    super(message, cause);
  }
}
