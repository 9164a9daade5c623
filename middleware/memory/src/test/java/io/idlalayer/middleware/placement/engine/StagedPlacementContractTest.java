package io.idlalayer.middleware.placement.engine;

import io.idlalayer.middleware.memory.clock.MemoryClock;
import io.idlalayer.middleware.memory.object.TieredMemory;
import io.idlalayer.middleware.memory.object.Tiers;
import io.idlalayer.middleware.placement.PolicyCase;
import java.util.List;

/** All policies with slow tensors in a file past the page cache. */
final class StagedPlacementContractTest extends PlacementContract {
  @Override
  protected List<PolicyCase> policies() {
    return PolicyCase.shipped();
  }

  @Override
  protected TieredMemory tiers(long fastBytes, long slowBytes, MemoryClock clock) {
    return Tiers.pastThePageCache(fastBytes, slowBytes, clock);
  }
}
