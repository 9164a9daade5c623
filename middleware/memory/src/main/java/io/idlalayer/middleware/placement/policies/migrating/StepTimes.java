package io.idlalayer.middleware.placement.policies.migrating;

import io.idlalayer.middleware.placement.api.TaskGraph;

/**
 * Measured times of the kernels of a step: the last one of each, which predicts when a later kernel
 * begins, and the least one with every argument on the fast device.
 */
final class StepTimes {
  private final long[] last;
  private final long[] fast;

  /** Begins with the times that a graph has; those that it does not know are 0. */
  StepTimes(TaskGraph graph) {
    last = graph.kernels().stream().mapToLong(TaskGraph.Kernel::fastNanos).toArray();
    fast = last.clone();
  }

  /**
   * Records a run of a kernel.
   *
   * @param allFast whether all of its arguments were on the fast device
   */
  void ran(int kernel, long nanos, boolean allFast) {
    last[kernel] = nanos;
    if (allFast) {
      fast[kernel] = fast[kernel] == 0 ? nanos : Math.min(fast[kernel], nanos);
    }
  }

  /** Returns the time of a kernel with everything on the fast device; 0 if none is known. */
  long fastNanos(int kernel) {
    return fast[kernel % fast.length];
  }

  /** Returns the time of each kernel with everything on the fast device, or else its last time. */
  long[] nanos() {
    long[] nanos = new long[last.length];
    for (int k = 0; k < nanos.length; k++) {
      nanos[k] = fast[k] > 0 ? fast[k] : last[k];
    }
    return nanos;
  }

  /**
   * Returns the predicted time of the kernels from one on and before another; those of the next
   * step are numbered after those of this one.
   */
  long nanosBetween(int from, int to) {
    long nanos = 0;
    for (int k = from; k < to; k++) {
      nanos += last[k % last.length];
    }
    return nanos;
  }
}
