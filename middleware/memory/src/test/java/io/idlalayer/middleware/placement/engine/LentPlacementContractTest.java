package io.idlalayer.middleware.placement.engine;

import io.idlalayer.middleware.lending.borrower.LentTiers;
import io.idlalayer.middleware.memory.clock.MemoryClock;
import io.idlalayer.middleware.memory.object.TieredMemory;
import io.idlalayer.middleware.placement.PlacementName;
import io.idlalayer.middleware.placement.PolicyCase;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Policies of four kinds with slow tensors in the memory of a lender. */
final class LentPlacementContractTest extends PlacementContract {
  private LentTiers lent;

  @BeforeAll
  void borrow() throws IOException {
    lent = new LentTiers(1 << 17);
  }

  @AfterAll
  void giveBack() throws IOException {
    lent.assertUsed();
    lent.close();
  }

  @Override
  protected List<PolicyCase> policies() {
    return Stream.of(
            PlacementName.ALL_SLOW,
            PlacementName.CACHED_ARRAYS,
            PlacementName.AUTOVM,
            PlacementName.REDL)
        .map(PolicyCase::of)
        .toList();
  }

  @Override
  protected TieredMemory tiers(long fastBytes, long slowBytes, MemoryClock clock) {
    return lent.of(fastBytes, slowBytes, clock);
  }
}
