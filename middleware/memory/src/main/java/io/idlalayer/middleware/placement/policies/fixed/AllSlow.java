package io.idlalayer.middleware.placement.policies.fixed;

import io.idlalayer.middleware.placement.api.AllocationRequest;
import io.idlalayer.middleware.placement.api.MemoryView;
import io.idlalayer.middleware.placement.api.Placement;
import io.idlalayer.middleware.placement.api.PlacementPolicy;

/**
 * Places every object on the slow device. The time of a step under this policy is an upper bound
 * for other policies.
 */
public final class AllSlow implements PlacementPolicy {
  @Override
  public String name() {
    return "all-slow";
  }

  @Override
  public Placement place(AllocationRequest request, MemoryView view) {
    return Placement.of(Placement.SLOW);
  }
}
