package io.idlalayer.benchmarks.placement;

import io.idlalayer.middleware.placement.PolicyCase;
import io.idlalayer.middleware.placement.engine.PlacedMemoryContract;
import java.util.List;

final class RivalMemoryPropertyTest extends PlacedMemoryContract {
  @Override
  protected List<PolicyCase> policies() {
    return Rivals.all();
  }
}
