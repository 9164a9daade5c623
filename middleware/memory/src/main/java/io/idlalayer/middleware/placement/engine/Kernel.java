package io.idlalayer.middleware.placement.engine;

/** What a kernel does with its arguments. */
@FunctionalInterface
public interface Kernel {
  /** Computes; the arguments stay where they are meanwhile. */
  void run(KernelArguments arguments) throws InterruptedException;
}
