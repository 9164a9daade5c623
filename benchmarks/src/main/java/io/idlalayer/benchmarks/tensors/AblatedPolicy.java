package io.idlalayer.benchmarks.tensors;

import io.idlalayer.benchmarks.placement.ForwardingPlacementPolicy;
import io.idlalayer.middleware.placement.api.Action;
import io.idlalayer.middleware.placement.api.KernelEvent;
import io.idlalayer.middleware.placement.api.MemoryView;
import io.idlalayer.middleware.placement.api.PlacementPolicy;
import io.idlalayer.middleware.placement.api.Reason;
import java.util.List;

/** A placement policy without one of its parts. */
final class AblatedPolicy extends ForwardingPlacementPolicy {
  private final Part without;

  /** The parts of the improved policy that can be left out. */
  enum Part {
    /** Leaves the policy whole. */
    NOTHING,
    /** Without it, arguments are never fetched before a kernel. */
    FETCHING,
    /**
     * Without it, no tensor leaves the fast device before a kernel, and nothing is compacted, to
     * make space for what the kernel creates.
     */
    OUTPUT_SPACE,
    /** Without it, no tensor is written back before it leaves the fast device. */
    WRITE_AHEAD,
    /** Without it, divisible kernels work on slow arguments in place. */
    STREAMS;

    String title() {
      return this == NOTHING
          ? "whole"
          : "without " + name().toLowerCase(java.util.Locale.ROOT).replace('_', ' ');
    }
  }

  AblatedPolicy(PlacementPolicy policy, Part without) {
    super(policy);
    this.without = without;
  }

  @Override
  public List<Action> before(KernelEvent kernel, MemoryView view) {
    return kept(super.before(kernel, view));
  }

  @Override
  public List<Action> after(KernelEvent kernel, long nanos, MemoryView view) {
    return kept(super.after(kernel, nanos, view));
  }

  private List<Action> kept(List<Action> actions) {
    return actions.stream().filter(action -> !removed(action)).toList();
  }

  private boolean removed(Action action) {
    return switch (without) {
      case NOTHING -> false;
      case FETCHING -> action instanceof Action.Fetch;
      case OUTPUT_SPACE -> action.reason() == Reason.OUTPUT_SPACE;
      case WRITE_AHEAD -> action instanceof Action.WriteBack;
      case STREAMS -> action instanceof Action.Stream;
    };
  }
}
