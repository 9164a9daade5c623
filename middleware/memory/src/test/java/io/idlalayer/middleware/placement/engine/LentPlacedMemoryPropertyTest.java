package io.idlalayer.middleware.placement.engine;

import io.idlalayer.middleware.lending.borrower.LentTiers;
import io.idlalayer.middleware.memory.clock.MemoryClock;
import io.idlalayer.middleware.memory.object.TieredMemory;
import io.idlalayer.middleware.placement.PolicyCase;
import java.io.IOException;
import java.util.List;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/** Random programs with slow tensors in the memory of a lender. */
final class LentPlacedMemoryPropertyTest extends PlacedMemoryContract {
  private static LentTiers lent;

  @BeforeContainer
  static void borrow() throws IOException {
    lent = new LentTiers(1 << 15);
  }

  @AfterContainer
  static void giveBack() throws IOException {
    lent.assertUsed();
    lent.close();
  }

  @Override
  protected List<PolicyCase> policies() {
    return PolicyCase.shipped();
  }

  @Override
  protected TieredMemory tiers(long fastBytes, long slowBytes, MemoryClock clock) {
    return lent.of(fastBytes, slowBytes, clock);
  }
}
