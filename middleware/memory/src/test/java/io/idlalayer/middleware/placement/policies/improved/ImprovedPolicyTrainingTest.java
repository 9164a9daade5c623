package io.idlalayer.middleware.placement.policies.improved;

import static io.idlalayer.middleware.memory.object.Tiers.FAST;
import static io.idlalayer.middleware.memory.object.Tiers.SLOW;
import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.memory.clock.VirtualClock;
import io.idlalayer.middleware.placement.PlacementName;
import io.idlalayer.middleware.placement.api.PlacementPolicy;
import io.idlalayer.middleware.placement.api.PolicyStats;
import io.idlalayer.middleware.placement.engine.PlacedMemory;
import io.idlalayer.middleware.placement.engine.PlacedTiers;
import io.idlalayer.middleware.placement.engine.PlacementStats;
import io.idlalayer.middleware.placement.engine.ToyNet;
import net.jqwik.api.Example;

/** What the improved policy adds. */
class ImprovedPolicyTrainingTest {
  private static final int[] DEEP = {512, 512, 1024, 512, 768, 512, 512, 1024, 512, 512, 256, 512};

  private static PlacementStats train(long fastBytes, int steps) throws InterruptedException {
    PlacementPolicy policy = PlacementName.CACHED_ARRAYS.unplanned();
    try (PlacedMemory memory = PlacedTiers.of(policy, fastBytes, 1 << 20, new VirtualClock());
        ToyNet net = new ToyNet(memory, DEEP)) {
      for (int i = 0; i < steps; i++) {
        net.step();
      }
      net.close();
      memory.close();
      return memory.stats();
    }
  }

  @Example
  void writingAhead_makesEvictionsFree() throws InterruptedException {
    PlacementStats stats = train(ToyNet.peak(DEEP) / 3, 60);
    PolicyStats policy = stats.policy();
    assertThat(policy.cleanEvictions()).isPositive();
    // Every byte that went down is accounted for, ahead of evictions or with them.
    assertThat(policy.writtenBackBytes()).isEqualTo(stats.traffic().bytes(FAST, SLOW));
  }

  @Example
  void withRoomForEverything_nothingIsCopied() throws InterruptedException {
    PlacementStats stats = train(ToyNet.peak(DEEP), 40);
    assertThat(stats.traffic().flows()).isEmpty();
    assertThat(stats.slowUses()).isZero();
  }
}
