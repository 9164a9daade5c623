package io.idlalayer.benchmarks.placement;

import static io.idlalayer.middleware.memory.object.Tiers.FAST;
import static io.idlalayer.middleware.memory.object.Tiers.SLOW;
import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.memory.clock.VirtualClock;
import io.idlalayer.middleware.placement.engine.PlacedMemory;
import io.idlalayer.middleware.placement.engine.PlacedTiers;
import io.idlalayer.middleware.placement.engine.PlacementStats;
import io.idlalayer.middleware.placement.engine.ToyNet;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The modes of the source beside each other and beside the product's policy. */
class LruTrainingTest {
  private static final int[] DEEP = {512, 512, 1024, 512, 768, 512, 512, 1024, 512, 512, 256, 512};

  private record Outcome(PlacementStats stats, long nanos, long digest) {}

  private static Outcome train(ComparedPolicy name, long fastBytes, int steps)
      throws InterruptedException {
    VirtualClock clock = new VirtualClock();
    try (PlacedMemory memory = PlacedTiers.of(name.create(), fastBytes, 1 << 20, clock);
        ToyNet net = new ToyNet(memory, DEEP)) {
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

  @Test
  void retirement_writesNothingThatIsDead() throws InterruptedException {
    long quarter = ToyNet.peak(DEEP) / 4;
    Outcome without = train(ComparedPolicy.CACHED_ARRAYS_L, quarter, 30);
    Outcome with = train(ComparedPolicy.CACHED_ARRAYS_LM, quarter, 30);
    assertThat(with.digest()).isEqualTo(without.digest());
    assertThat(without.stats().policy().deadWriteBackBytes()).isPositive();
    assertThat(with.stats().policy().deadWriteBackBytes()).isZero();
    assertThat(with.stats().policy().avoidedWriteBackBytes()).isPositive();
    assertThat(with.stats().traffic().bytes(FAST, SLOW))
        .isLessThan(without.stats().traffic().bytes(FAST, SLOW));
  }

  @Test
  void cachedArrays_isNotSlowerThanTheModesOfTheSource() throws InterruptedException {
    for (int share : new int[] {2, 3, 5}) {
      long fast = ToyNet.peak(DEEP) / share;
      Outcome improved = train(ComparedPolicy.CACHED_ARRAYS, fast, 40);
      for (ComparedPolicy name :
          List.of(
              ComparedPolicy.CACHED_ARRAYS_0,
              ComparedPolicy.CACHED_ARRAYS_L,
              ComparedPolicy.CACHED_ARRAYS_LM,
              ComparedPolicy.CACHED_ARRAYS_LMP)) {
        Outcome other = train(name, fast, 40);
        assertThat(improved.digest()).isEqualTo(other.digest());
        assertThat((double) improved.nanos())
            .describedAs("%s at 1/%d of the peak", name, share)
            .isLessThan(1.02 * other.nanos());
      }
    }
  }
}
