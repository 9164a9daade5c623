package io.idlalayer.middleware.placement;

import io.idlalayer.middleware.memory.MemObject;

/** Everything on the slow device: the upper bound of a step's time. */
public final class AllSlow extends TwoTierPolicy {
  @Override
  public PolicyInfo info() {
    return PolicyInfo.online("all-slow");
  }

  @Override
  public MemObject allocate(AllocationRequest request) {
    return moves().make(moves().slow, request.bytes());
  }

  /** Never: the device that it would go to is not this policy's. */
  @Override
  public boolean prefetch(MemObject object, boolean force) {
    return object.primary().in(moves().fast);
  }
}
