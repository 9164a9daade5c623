package io.idlalayer.modelcontroller.engine.compile;

/**
 * Thrown if the engine does not support a network; the message names the unsupported part. Unless
 * the exception is a {@link WrongConfigurationException}, a library such as Deeplearning4j can
 * possibly train the network.
 */
public class UncompilableException extends Exception {
  private static final long serialVersionUID = 1L;

  public UncompilableException(String message) {
    super(message);
  }

  public UncompilableException(String message, Throwable cause) {
    super(message, cause);
  }

  /**
   * Returns the exception for a part of a layer that the engine does not support, for example its
   * pooling type.
   */
  static UncompilableException of(String what, String layer) {
    return new UncompilableException("the %s of layer '%s' is not known".formatted(what, layer));
  }
}
