package io.idlalayer.middleware.placement.plan;

import io.idlalayer.middleware.placement.api.KernelEvent;
import io.idlalayer.middleware.placement.api.MemoryView;
import io.idlalayer.middleware.placement.api.PlanUse;
import io.idlalayer.middleware.placement.api.StepCosts;
import io.idlalayer.middleware.placement.api.TaskGraph;
import java.util.Optional;

/**
 * Gives a {@link PlannedPolicy} the plan of each step, and observes the steps. One thread at a time
 * calls it.
 */
public interface PlanSource {
  /**
   * Returns the plan that the announced step follows; {@link PlacementPlan#NONE} for none. Does not
   * wait.
   */
  PlacementPlan begin(TaskGraph graph, MemoryView view);

  /**
   * Called after a kernel of a step that was announced and has followed its graph so far.
   *
   * @param nanos time of the kernel by the memory's clock, without the moves before it
   */
  default void ran(KernelEvent kernel, long nanos, MemoryView view) {}

  /** Called after the last kernel of a step. */
  default void ended(MemoryView view) {}

  /**
   * Returns the bandwidth of the slow device, in the sense of {@link Drift#bytesPerSecond}, for
   * which the present decision about the steps of a graph was made; 0 if there is no decision, or
   * it does not depend on a bandwidth.
   */
  default double plannedBytesPerSecond(TaskGraph graph) {
    return 0;
  }

  /**
   * Returns what {@link io.idlalayer.middleware.placement.api.PlacementPolicy#stepCosts} asks for.
   */
  default Optional<StepCosts> costs(MemoryView view) {
    return Optional.empty();
  }

  /** Returns how plans are used; empty if nothing is measured. */
  default Optional<PlanUse> use() {
    return Optional.empty();
  }
}
