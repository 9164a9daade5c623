package io.idlalayer.middleware.placement.plan;

import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.placement.api.KernelEvent;
import io.idlalayer.middleware.placement.api.MemoryView;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.api.TransferTimes;
import java.util.Arrays;

/**
 * Measures how long the kernels of a step take with every argument on the fast device. The time of
 * a kernel is the median of its last {@value #RUNS} runs in which all arguments were fast. As long
 * as there was no such run, it is the time of the last run less what the cost model adds for stores
 * on the slow device; loads from there run beside the computation, so that this is an upper bound.
 * One thread at a time.
 */
final class KernelTimes {
  /** Number of runs of a kernel of which the median is its time. */
  static final int RUNS = 5;

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
   * @param kernel with the objects that it created
   * @param nanos time of the run by the memory's clock
   */
  void ran(KernelEvent kernel, long nanos, MemoryView view) {
    int index = kernel.index();
    if (index >= estimates.length) {
      return;
    }
    if (estimates[index] == 0) {
      unknown--;
    }
    boolean fast = kernel.arguments().stream().allMatch(view::inFast);
    if (fast) {
      fastRuns[index][fastCounts[index]++ % RUNS] = Math.max(1, nanos);
      estimates[index] = median(index);
    } else if (fastCounts[index] == 0) {
      estimates[index] = Math.max(1, nanos - storing(kernel, view));
    }
  }

  private static long storing(KernelEvent kernel, MemoryView view) {
    long bytes = 0;
    for (MemObject object : kernel.writes()) {
      bytes += view.inFast(object) ? 0 : object.bytes();
    }
    TransferTimes times = view.times();
    return Math.round(times.inPlace(0, 0, bytes));
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

  /** Returns the graph of the step with these times; a kernel that has not run has 0. */
  TaskGraph of(TaskGraph graph) {
    return graph.timed(estimates.clone());
  }

  /** Returns the sum of the kernels' times in nanoseconds. */
  long sumNanos() {
    return Arrays.stream(estimates).sum();
  }
}
