package io.idlalayer.middleware.placement.policies.fixed;

import io.idlalayer.middleware.placement.api.AllocationRequest;
import io.idlalayer.middleware.placement.api.MemoryView;
import io.idlalayer.middleware.placement.api.Placement;
import io.idlalayer.middleware.placement.api.PlacementPolicy;

/**
 * Places a new object on the fast device if there is room, else on the slow one, and leaves it
 * there, as an operating system does on a machine with two kinds of memory.
 */
public final class FirstTouch implements PlacementPolicy {
  @Override
  public String name() {
    return "first-touch";
  }

  @Override
  public boolean idleIfFast() {
    return true;
  }

  @Override
  public Placement place(AllocationRequest request, MemoryView view) {
    return Placement.of(Placement.FAST, Placement.SLOW);
  }
}
