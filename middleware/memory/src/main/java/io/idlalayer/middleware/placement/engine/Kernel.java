package io.idlalayer.middleware.placement.engine;

/** What a kernel does with its arguments. */
@FunctionalInterface
public interface Kernel {
  /** Computes. The arguments stay where they are until it returns. */
  void run(KernelArguments arguments) throws InterruptedException;
}
