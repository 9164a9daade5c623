package io.idlalayer.middleware.placement.policies.migrating;

import io.idlalayer.middleware.placement.api.MemoryView;

/**
 * Chooses the periods of steps, and learns from the steps that were run with them. Used by one
 * policy.
 */
public interface PeriodSource {
  /**
   * Returns the periods for the step that begins; {@link Periods#NONE} if nothing is to migrate in
   * it, so that the other policy decides alone.
   */
  Periods begin(StepProfile step, MemoryView view);

  /**
   * Called when a step has ended whose kernels were placed and were those of its graph.
   *
   * @param kernelNanos time of each kernel with everything on the fast device, as far as it was
   *     measured, otherwise the last one
   * @param nanos time of the step by the memory's clock, with its waits for copies
   */
  default void ended(StepProfile step, long[] kernelNanos, long nanos, MemoryView view) {}
}
