package io.idlalayer.middleware.placement.plan;

import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.placement.api.Action;
import io.idlalayer.middleware.placement.api.KernelEvent;
import io.idlalayer.middleware.placement.api.MemoryView;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.api.TransferTimes;
import java.util.Arrays;

/**
 * Measures how long the kernels of a step take with every argument on the fast device. The time of
 * a kernel is the median of its last {@value #RUNS} runs in which all arguments were fast. As long
 * as there was no such run, it is the time of the last run less what the cost model adds for slow
 * arguments. One thread at a time.
 */
final class KernelTimes {
  /** Number of runs of a kernel of which the median is its time. */
  static final int RUNS = 5;

  /** A run is bound by its slow loads if it takes at most this many times as long as they do. */
  private static final double BOUND_BY_LOADS = 1.05;

  private final long[][] fastRuns;
  private final int[] fastCounts;
  private final long[] estimates;
  private int unknown;

  /**
   * @param kernels number of kernels of the step
   */
  KernelTimes(int kernels) {
    fastRuns = new long[kernels][RUNS];
    fastCounts = new int[kernels];
    estimates = new long[kernels];
    unknown = kernels;
  }

  /**
   * Records a run of a kernel of the step.
   *
   * @param index index of the kernel in the step in which every kernel runs once
   * @param kernel with the objects that it created
   * @param nanos time of the run by the memory's clock
   * @return whether all of its arguments were on the fast device
   */
  boolean ran(int index, KernelEvent kernel, long nanos, MemoryView view) {
    if (index >= estimates.length) {
      return false;
    }
    if (estimates[index] == 0) {
      unknown--;
    }
    boolean fast = kernel.arguments().stream().allMatch(view::inFast);
    if (fast) {
      fastRuns[index][fastCounts[index]++ % RUNS] = Math.max(1, nanos);
      estimates[index] = median(index);
    } else if (fastCounts[index] == 0) {
      estimates[index] = Math.max(1, withoutSlow(kernel, nanos, view));
    }
    return fast;
  }

  /**
   * Returns the time of a run without its slow arguments. Stores on the slow device add to the time
   * of a kernel. Loads from there run beside the computation and hide it if they take longer: then
   * the kernel is bound by memory, and takes as long as the fast device needs for its bytes. If
   * slow arguments passed through buffers, all but the first copy in and the last copy out ran
   * beside the computation.
   */
  private static long withoutSlow(KernelEvent kernel, long nanos, MemoryView view) {
    TransferTimes times = view.times();
    if (view.streamed()) {
      double in = times.copyIn(view.slowBytes(kernel.reads()));
      double out = times.copyOut(view.slowBytes(kernel.writes()));
      long pieces =
          Action.Stream.pieces(
              view.fast().budgetBytes() / Action.Stream.BUFFER_SHARE, bytes(kernel));
      double computing = nanos - (in + out) / pieces;
      return computing > Math.max(in, out) * BOUND_BY_LOADS
          ? Math.round(computing)
          : Math.min(nanos, times.copyWithin(bytes(kernel)));
    }
    double storing = times.inPlace(0, 0, view.slowBytes(kernel.writes()));
    double loading = times.inPlace(0, view.slowBytes(kernel.reads()), 0);
    double computing = nanos - storing;
    if (computing > loading * BOUND_BY_LOADS) {
      return Math.round(computing);
    }
    return Math.min(Math.round(computing), times.copyWithin(bytes(kernel)));
  }

  private static long bytes(KernelEvent kernel) {
    return kernel.arguments().stream().mapToLong(MemObject::bytes).sum();
  }

  private long median(int index) {
    long[] runs = Arrays.copyOf(fastRuns[index], Math.min(RUNS, fastCounts[index]));
    Arrays.sort(runs);
    return runs[runs.length / 2];
  }

  /** Returns whether every kernel has run at least once. */
  boolean complete() {
    return unknown == 0;
  }

  /** Returns the times of the kernels that have run with every argument fast; 0 for others. */
  long[] fastNanos() {
    long[] fast = estimates.clone();
    for (int kernel = 0; kernel < fast.length; kernel++) {
      fast[kernel] = fastCounts[kernel] == 0 ? 0 : fast[kernel];
    }
    return fast;
  }

  /** Returns the graph of the step with these times; a kernel that has not run has 0. */
  TaskGraph of(TaskGraph graph) {
    return graph.timed(estimates.clone());
  }

  /** Returns the sum of the kernels' times in nanoseconds. */
  long sumNanos() {
    return Arrays.stream(estimates).sum();
  }
}
