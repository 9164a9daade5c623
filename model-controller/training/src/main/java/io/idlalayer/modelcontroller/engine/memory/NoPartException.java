package io.idlalayer.modelcontroller.engine.memory;

/** Thrown if trainings that were given up still hold the memory that a training needs. */
public final class NoPartException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception. The message should say which training waited, for how long, for which
   * other trainings, and what the user can do.
   */
  NoPartException(String message) {
    super(message);
  }
}
