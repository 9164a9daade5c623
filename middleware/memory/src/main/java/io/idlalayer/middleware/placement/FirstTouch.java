package io.idlalayer.middleware.placement;

import io.idlalayer.middleware.memory.MemObject;

/**
 * On the fast device if there is room when it is made, else on the slow one, and there it stays:
 * what an operating system does on a machine with two kinds of memory.
 */
public final class FirstTouch extends TwoTierPolicy {
  @Override
  public PolicyInfo info() {
    return PolicyInfo.online("first-touch");
  }

  @Override
  public MemObject allocate(AllocationRequest request) {
    MemObject fast = moves().tryMake(moves().fast, request.bytes());
    if (fast != null) {
      return fast;
    }
    moves().counts.fallbacks++;
    return moves().make(moves().slow, request.bytes());
  }

  /** Never moves. */
  @Override
  public boolean prefetch(MemObject object, boolean force) {
    return object.primary().in(moves().fast);
  }

  /** Never moves. */
  @Override
  public void evict(MemObject object) {
    object.primary();
  }
}
