package io.idlalayer.middleware.placement.plan.recompute;

import io.idlalayer.middleware.placement.api.Recomputation.Rerun;
import java.util.List;

/**
 * Tensors that a step can drop and compute again.
 *
 * @param rerun the kernels that compute them again
 * @param gaps the tensors that are gone meanwhile
 * @param costNanos time of the kernels that run again
 * @param moveNanos time of the copies that would bring these tensors to the slow device and back
 */
record Drop(Rerun rerun, List<Gap> gaps, long costNanos, long moveNanos) {
  /**
   * The time in which a tensor is gone.
   *
   * @param after index of the kernel that is the last to use it
   * @param before index of the kernel before which it is computed again
   */
  record Gap(int tensor, long bytes, int after, int before) {}

  Drop {
    gaps = List.copyOf(gaps);
  }

  /** Returns whether it takes less time to compute the tensors again than to move them. */
  boolean cheaperThanMoving() {
    return costNanos < moveNanos;
  }
}
