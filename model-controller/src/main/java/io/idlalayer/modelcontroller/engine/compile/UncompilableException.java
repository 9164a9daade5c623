package io.idlalayer.modelcontroller.engine.compile;

/** A network that the engine does not know; the message says which part of it. */
public final class UncompilableException extends Exception {
  private static final long serialVersionUID = 1L;

  public UncompilableException(String message) {
    super(message);
  }
}
