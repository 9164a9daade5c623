package io.idlalayer.middleware.placement.engine;

/** The computation of a kernel on its arguments. */
@FunctionalInterface
public interface Kernel {
  /** Computes. The arguments stay where they are until it returns. */
  void run(KernelArguments arguments) throws InterruptedException;
}
