package io.idlalayer.middleware.placement.engine;

import io.idlalayer.middleware.memory.clock.RealClock;
import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.memory.object.TieredMemory;
import io.idlalayer.middleware.memory.object.Tiers;
import io.idlalayer.middleware.placement.PolicyCase;
import io.idlalayer.middleware.placement.api.PlacementPolicy;
import java.util.List;
import java.util.SplittableRandom;

/** The slow device is past the page cache, so arguments of kernels are staged. */
final class StagedStressTest extends SharedWeightsContract {
  @Override
  protected List<PolicyCase> policies() {
    return PolicyCase.shipped();
  }

  /** Each round copies its arguments. */
  @Override
  protected int rounds() {
    return 300;
  }

  @Override
  protected PlacedMemory memory(PlacementPolicy policy) {
    TieredMemory memory = Tiers.pastThePageCache(FAST_BYTES, SLOW_BYTES, new RealClock());
    return new PlacedMemory(memory, policy, PolicyEnvironment.of(memory));
  }

  /** Only the engine uses the tiered memory: each kernel needs the room that others would hold. */
  @Override
  protected void between(PlacedMemory memory, MemObject weight, SplittableRandom random) {
    memory.stats();
  }
}
