package io.idlalayer.middleware.placement.plan.autotm;

import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.plan.PlanRefusedException;
import java.util.Locale;
import java.util.function.LongSupplier;

/**
 * Bounds of the search for the plan of a step. Its memory is known before it begins, because it
 * follows from the numbers of kernels, tensors and uses. Its time grows with kernels times tensors
 * and is checked while it runs.
 *
 * @param mostBytes most bytes of the Java heap, as {@link #neededBytes} has them
 * @param mostNanos longest time in nanoseconds
 * @param nanoTime the present time in nanoseconds
 */
record SearchLimits(long mostBytes, long mostNanos, LongSupplier nanoTime) {
  static final SearchLimits DEFAULT =
      new SearchLimits(256L << 20, 30_000_000_000L, System::nanoTime);

  /** Schedules and prices that are in memory at a time. */
  private static final long SCHEDULES = 40;

  /** Bytes of a schedule for each kernel, tensor, and use of a tensor. */
  private static final long KERNEL_BYTES = 200;

  private static final long TENSOR_BYTES = 150;
  private static final long USE_BYTES = 100;

  private static final double NANOS_PER_SECOND = 1e9;

  /** The end of a search. One thread. */
  static final class Deadline {
    private final LongSupplier nanoTime;
    private final long startNanos;
    private final long mostNanos;

    private Deadline(SearchLimits limits) {
      nanoTime = limits.nanoTime();
      mostNanos = limits.mostNanos();
      startNanos = nanoTime.getAsLong();
    }

    /** Returns whether the time is over. */
    boolean isOver() {
      return nanoTime.getAsLong() - startNanos > mostNanos;
    }

    /**
     * Ends the search if its time is over, or if its thread is interrupted.
     *
     * @throws PlanRefusedException in both cases
     */
    void check() {
      if (Thread.currentThread().isInterrupted()) {
        throw new PlanRefusedException("it was interrupted");
      }
      if (isOver()) {
        throw new PlanRefusedException(
            String.format(
                Locale.ROOT, "it has found no plan within %.0f s", mostNanos / NANOS_PER_SECOND));
      }
    }
  }

  /** Returns about how many bytes of the heap the search for the plan of a step takes. */
  static long neededBytes(TaskGraph graph) {
    long uses = 0;
    for (TaskGraph.Kernel kernel : graph.kernels()) {
      uses += kernel.reads().size() + kernel.writes().size();
    }
    return SCHEDULES
        * (KERNEL_BYTES * graph.kernels().size()
            + TENSOR_BYTES * graph.tensors().size()
            + USE_BYTES * uses);
  }

  /**
   * Begins a search.
   *
   * @throws PlanRefusedException if it would take too much memory
   */
  Deadline begin(TaskGraph graph) {
    long needed = neededBytes(graph);
    if (needed > mostBytes) {
      throw new PlanRefusedException(
          String.format(
              Locale.ROOT,
              "to plan a step of %,d kernels and %,d tensors takes about %,d bytes, it may take %,d",
              graph.kernels().size(),
              graph.tensors().size(),
              needed,
              mostBytes));
    }
    return new Deadline(this);
  }
}
