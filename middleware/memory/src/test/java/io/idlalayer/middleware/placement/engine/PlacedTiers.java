package io.idlalayer.middleware.placement.engine;

import io.idlalayer.middleware.memory.clock.MemoryClock;
import io.idlalayer.middleware.memory.object.TieredMemory;
import io.idlalayer.middleware.memory.object.Tiers;
import io.idlalayer.middleware.placement.api.PlacementPolicy;

/** Small placed memories. */
public final class PlacedTiers {
  public static final long SLOW_BYTES = 64 * 1024;

  private PlacedTiers() {}

  public static PlacedMemory of(PlacementPolicy policy, long fastBytes, MemoryClock clock) {
    return of(policy, fastBytes, SLOW_BYTES, clock);
  }

  public static PlacedMemory of(
      PlacementPolicy policy, long fastBytes, long slowBytes, MemoryClock clock) {
    TieredMemory memory = Tiers.of((fastBytes + 63) / 64 * 64, slowBytes, clock);
    return new PlacedMemory(memory, policy, PolicyEnvironment.of(memory));
  }
}
