package io.idlalayer.middleware.placement.trace;

import io.idlalayer.middleware.placement.KernelEvent;
import io.idlalayer.middleware.placement.PlacementPolicy;
import io.idlalayer.middleware.placement.PolicyAround;
import io.idlalayer.middleware.placement.TaskGraph;

/**
 * Does what another policy does, with kernels that take on the fast device what they took when they
 * were recorded: under a virtual clock, times are then the same on a busy machine and on an idle
 * one. Kernels that were not recorded, as those that load a network, take no time.
 */
public final class RecordedTimes extends PolicyAround {
  private final TaskGraph graph;

  /** Times of a recorded step. */
  public RecordedTimes(PlacementPolicy policy, TaskGraph graph) {
    super(policy);
    this.graph = graph;
  }

  @Override
  public long kernelNanos(KernelEvent event, long fastNanos) {
    return super.kernelNanos(event, recordedNanos(event));
  }

  private long recordedNanos(KernelEvent event) {
    if (event.index() >= graph.kernels().size()) {
      return TraceReplay.UNRECORDED_NANOS;
    }
    TaskGraph.Kernel kernel = graph.kernels().get(event.index());
    return kernel.name().equals(event.name())
        ? Math.max(TraceReplay.UNRECORDED_NANOS, kernel.fastNanos())
        : TraceReplay.UNRECORDED_NANOS;
  }
}
