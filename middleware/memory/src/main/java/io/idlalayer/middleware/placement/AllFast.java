package io.idlalayer.middleware.placement;

import io.idlalayer.middleware.memory.MemObject;

/** Everything on the fast device, which must be large enough: the lower bound of a step's time. */
public final class AllFast extends TwoTierPolicy {
  @Override
  public PolicyInfo info() {
    return PolicyInfo.online("all-fast");
  }

  @Override
  public MemObject allocate(AllocationRequest request) {
    return moves().make(moves().fast, request.bytes());
  }
}
