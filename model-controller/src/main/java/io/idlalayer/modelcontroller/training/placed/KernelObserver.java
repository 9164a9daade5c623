package io.idlalayer.modelcontroller.training.placed;

import io.idlalayer.middleware.placement.trace.KernelTrace;

/** Hears of the kernels of a step, on the thread that trains. */
@FunctionalInterface
public interface KernelObserver {
  /** A kernel has run. What it throws ends the step. */
  void ran(KernelTrace trace);
}
