package io.idlalayer.benchmarks.trace;

import io.idlalayer.benchmarks.placement.ForwardingPlacementPolicy;
import io.idlalayer.middleware.placement.api.KernelEvent;
import io.idlalayer.middleware.placement.api.MemoryView;
import io.idlalayer.middleware.placement.api.PlacementPolicy;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.trace.TraceReplay;

/**
 * Forwards to another policy, with kernels that take their recorded times on the fast device: under
 * a virtual clock, times are then equal on a busy machine and on an idle one. Kernels that were not
 * recorded, such as those that load a network, take the time of their event, or none.
 */
public final class RecordedTimes extends ForwardingPlacementPolicy {
  private final TaskGraph graph;

  /** Times of a recorded step. */
  public RecordedTimes(PlacementPolicy policy, TaskGraph graph) {
    super(policy);
    this.graph = graph;
  }

  @Override
  public long kernelNanos(KernelEvent event, long fastNanos, MemoryView view) {
    return super.kernelNanos(event, recordedNanos(event), view);
  }

  private long recordedNanos(KernelEvent event) {
    if (event.index() < graph.kernels().size()) {
      TaskGraph.Kernel kernel = graph.kernels().get(event.index());
      if (kernel.name().equals(event.name())) {
        return Math.max(TraceReplay.UNRECORDED_NANOS, kernel.fastNanos());
      }
    }
    return Math.max(TraceReplay.UNRECORDED_NANOS, event.fastNanos());
  }
}
