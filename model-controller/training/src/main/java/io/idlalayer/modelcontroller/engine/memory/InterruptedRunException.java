package io.idlalayer.modelcontroller.engine.memory;

/** The thread was interrupted while tensors moved, in a method that cannot say so otherwise. */
public final class InterruptedRunException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient InterruptedException interrupt;

  public InterruptedRunException(InterruptedException interrupt) {
    super(interrupt);
    this.interrupt = interrupt;
  }

  /** What happened; throw this where it can be thrown. */
  public InterruptedException interrupt() {
    return interrupt;
  }
}
