package io.idlalayer.middleware.placement;

import io.idlalayer.middleware.memory.MemObject;

/**
 * Spreads objects over both devices in a fixed ratio of bytes, as far as there is room, and leaves
 * them there.
 */
public final class Interleave extends TwoTierPolicy {
  private final int fastWeight;
  private final int slowWeight;
  private double fastBytes;
  private double slowBytes;

  /** Equal shares. */
  public Interleave() {
    this(1, 1);
  }

  /**
   * @param fastWeight share of the fast device, above 0
   * @param slowWeight share of the slow device, above 0
   */
  public Interleave(int fastWeight, int slowWeight) {
    if (fastWeight < 1 || slowWeight < 1) {
      throw new IllegalArgumentException(
          "weights of %d and %d; both must be at least 1".formatted(fastWeight, slowWeight));
    }
    this.fastWeight = fastWeight;
    this.slowWeight = slowWeight;
  }

  @Override
  public PolicyInfo info() {
    return PolicyInfo.online("interleave");
  }

  @Override
  public MemObject allocate(AllocationRequest request) {
    boolean wanted = fastBytes * slowWeight <= slowBytes * fastWeight;
    MemObject made = wanted ? moves().tryMake(moves().fast, request.bytes()) : null;
    if (made == null) {
      moves().counts.fallbacks += wanted ? 1 : 0;
      made = moves().tryMake(moves().slow, request.bytes());
    }
    if (made == null) {
      made = moves().make(moves().fast, request.bytes());
    }
    if (made.in(moves().fast)) {
      fastBytes += request.bytes();
    } else {
      slowBytes += request.bytes();
    }
    return made;
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
