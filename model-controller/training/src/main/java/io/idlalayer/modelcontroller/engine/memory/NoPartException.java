package io.idlalayer.modelcontroller.engine.memory;

/** Trainings that were given up still have the memory that a training needs. */
public final class NoPartException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Says who waited for whom, how long, and what to do. */
  NoPartException(String message) {
    super(message);
  }
}
