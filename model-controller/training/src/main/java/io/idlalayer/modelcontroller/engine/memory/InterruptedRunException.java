package io.idlalayer.modelcontroller.engine.memory;

/**
 * Thrown if the thread was interrupted while tensors moved, by a method that cannot throw {@link
 * InterruptedException}.
 */
public final class InterruptedRunException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient InterruptedException interrupt;

  public InterruptedRunException(InterruptedException interrupt) {
    super(interrupt);
    this.interrupt = interrupt;
  }

  /** Returns an {@link InterruptedException} with this cause, for a caller that can throw it. */
  public InterruptedException interrupt() {
    return interrupt;
  }
}
