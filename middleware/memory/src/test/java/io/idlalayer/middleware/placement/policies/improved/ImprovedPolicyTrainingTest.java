package io.idlalayer.middleware.placement.policies.improved;

import static io.idlalayer.middleware.memory.Tiers.FAST;
import static io.idlalayer.middleware.memory.Tiers.SLOW;
import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.memory.VirtualClock;
import io.idlalayer.middleware.placement.PlacementName;
import io.idlalayer.middleware.placement.api.PolicyStats;
import io.idlalayer.middleware.placement.engine.PlacedMemory;
import io.idlalayer.middleware.placement.engine.PlacementContractTest;
import io.idlalayer.middleware.placement.engine.PlacementStats;
import io.idlalayer.middleware.placement.engine.ToyNet;
import java.util.List;
import net.jqwik.api.Example;

/** What the improved policy adds. */
class ImprovedPolicyTrainingTest {
  private record Outcome(PlacementStats stats, long nanos, long digest) {}

  private static Outcome train(PlacementName name, long fastBytes, int steps, int... widths)
      throws InterruptedException {
    VirtualClock clock = new VirtualClock();
    try (PlacedMemory memory = PlacementContractTest.placed(name, fastBytes, 1 << 20, clock);
        ToyNet net = new ToyNet(memory, widths)) {
      for (int i = 0; i < steps; i++) {
        net.step();
      }
      long nanos = clock.nanos();
      long digest = net.digest();
      net.close();
      memory.close();
      return new Outcome(memory.stats(), nanos, digest);
    }
  }

  private static final int[] DEEP = {512, 512, 1024, 512, 768, 512, 512, 1024, 512, 512, 256, 512};

  @Example
  void retirement_writesNothingThatIsDead() throws InterruptedException {
    long quarter = ToyNet.peak(DEEP) / 4;
    Outcome without = train(PlacementName.CACHED_ARRAYS_L, quarter, 30, DEEP);
    Outcome with = train(PlacementName.CACHED_ARRAYS_LM, quarter, 30, DEEP);
    assertThat(with.digest()).isEqualTo(without.digest());
    assertThat(without.stats().policy().deadWriteBackBytes()).isPositive();
    assertThat(with.stats().policy().deadWriteBackBytes()).isZero();
    assertThat(with.stats().policy().avoidedWriteBackBytes()).isPositive();
    assertThat(with.stats().traffic().bytes(FAST, SLOW))
        .isLessThan(without.stats().traffic().bytes(FAST, SLOW));
  }

  @Example
  void theImprovedPolicy_isNotSlowerThanTheModesOfTheSource() throws InterruptedException {
    for (int share : new int[] {2, 3, 5}) {
      long fast = ToyNet.peak(DEEP) / share;
      Outcome improved = train(PlacementName.CACHED_ARRAYS, fast, 40, DEEP);
      for (PlacementName name :
          List.of(
              PlacementName.CACHED_ARRAYS_0,
              PlacementName.CACHED_ARRAYS_L,
              PlacementName.CACHED_ARRAYS_LM,
              PlacementName.CACHED_ARRAYS_LMP)) {
        Outcome other = train(name, fast, 40, DEEP);
        assertThat(improved.digest()).isEqualTo(other.digest());
        assertThat((double) improved.nanos())
            .describedAs("%s at 1/%d of the peak", name, share)
            .isLessThan(1.02 * other.nanos());
      }
    }
  }

  @Example
  void writingAhead_makesEvictionsFree() throws InterruptedException {
    Outcome outcome = train(PlacementName.CACHED_ARRAYS, ToyNet.peak(DEEP) / 3, 60, DEEP);
    PolicyStats policy = outcome.stats().policy();
    assertThat(policy.cleanEvictions()).isPositive();
    // Every byte that went down is accounted for, ahead of evictions or with them.
    assertThat(policy.writtenBackBytes()).isEqualTo(outcome.stats().traffic().bytes(FAST, SLOW));
  }

  @Example
  void withRoomForEverything_nothingIsCopied() throws InterruptedException {
    Outcome outcome = train(PlacementName.CACHED_ARRAYS, ToyNet.peak(DEEP), 40, DEEP);
    assertThat(outcome.stats().traffic().flows()).isEmpty();
    assertThat(outcome.stats().slowUses()).isZero();
  }
}
