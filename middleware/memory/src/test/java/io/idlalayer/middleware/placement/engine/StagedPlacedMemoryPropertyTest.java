package io.idlalayer.middleware.placement.engine;

import io.idlalayer.middleware.memory.clock.MemoryClock;
import io.idlalayer.middleware.memory.object.TieredMemory;
import io.idlalayer.middleware.memory.object.Tiers;
import io.idlalayer.middleware.placement.PolicyCase;
import java.util.List;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** Random programs with slow tensors in a file past the page cache. */
final class StagedPlacedMemoryPropertyTest extends PlacedMemoryContract {
  @Override
  protected List<PolicyCase> policies() {
    return PolicyCase.shipped();
  }

  /** Fewer tries, because each copy of 64 bytes passes another thread. */
  @Override
  @Property(tries = 80)
  void programs_underAnyPolicy_keepTheirBytes(
      @ForAll long seed, @ForAll @IntRange(min = 0, max = 20) int pick)
      throws InterruptedException {
    super.programs_underAnyPolicy_keepTheirBytes(seed, pick);
  }

  /** Most kernels fit. */
  @Override
  protected long budget(SplittableRandom any) {
    return 64L * (8 + any.nextInt(60));
  }

  @Override
  protected TieredMemory tiers(long fastBytes, long slowBytes, MemoryClock clock) {
    return Tiers.pastThePageCache(fastBytes, slowBytes, clock);
  }
}
