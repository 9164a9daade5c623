package io.idlalayer.modelcontroller.engine.kernel;

/** Thrown if a library refuses to create or to run a kernel. */
public final class KernelRefusedException extends IllegalStateException {
  private static final long serialVersionUID = 1L;

  public KernelRefusedException(String message) {
    super(message);
  }

  private KernelRefusedException(String message, Throwable cause) {
    super(message, cause);
  }

  /**
   * Returns a copy of this exception whose message also names the layer and the pass of the kernel.
   *
   * @param pass pass in which the kernel runs
   */
  public KernelRefusedException in(String pass, String layer) {
    return new KernelRefusedException(
        "the %s of layer '%s' cannot be made: %s".formatted(pass, layer, getMessage()), this);
  }
}
