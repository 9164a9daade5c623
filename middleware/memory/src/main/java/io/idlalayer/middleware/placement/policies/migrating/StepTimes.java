package io.idlalayer.middleware.placement.policies.migrating;

import io.idlalayer.middleware.placement.api.TaskGraph;
import java.util.Arrays;

/**
 * Measured times of the kernels of a step: the last one of each, which predicts when a later kernel
 * begins, and the least one, which is near its time with everything on the fast device.
 */
final class StepTimes {
  private final long[] last;
  private final long[] least;
  private final boolean[] measured;

  /** Begins with the times that a graph has; those that it does not know are 0. */
  StepTimes(TaskGraph graph) {
    last = graph.kernels().stream().mapToLong(TaskGraph.Kernel::fastNanos).toArray();
    least = last.clone();
    measured = new boolean[last.length];
  }

  void ran(int kernel, long nanos) {
    last[kernel] = nanos;
    least[kernel] = measured[kernel] ? Math.min(least[kernel], nanos) : nanos;
    measured[kernel] = true;
  }

  /** Returns the least time of a kernel so far; 0 if none is known. */
  long leastNanos(int kernel) {
    return least[kernel % least.length];
  }

  /** Returns the least time of each kernel. */
  long[] leastNanos() {
    return Arrays.copyOf(least, least.length);
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
