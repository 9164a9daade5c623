package io.idlalayer.middleware.placement.policies.fixed;

import io.idlalayer.middleware.placement.api.AllocationRequest;
import io.idlalayer.middleware.placement.api.MemoryView;
import io.idlalayer.middleware.placement.api.Placement;
import io.idlalayer.middleware.placement.api.PlacementPolicy;

/**
 * Places every object on the fast device, which must be large enough for all. The time of a step
 * under this policy is a lower bound for other policies.
 */
public final class AllFast implements PlacementPolicy {
  @Override
  public String name() {
    return "all-fast";
  }

  @Override
  public boolean idleIfFast() {
    return true;
  }

  @Override
  public Placement place(AllocationRequest request, MemoryView view) {
    return Placement.of(Placement.FAST);
  }
}
