package io.idlalayer.middleware.placement.engine;

/** The code that computes a kernel on its arguments. */
@FunctionalInterface
public interface Kernel {
  /** Computes the kernel. The arguments stay where they are until it returns. */
  void run(KernelArguments arguments) throws InterruptedException;
}
