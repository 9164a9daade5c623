package io.idlalayer.middleware.placement.engine;

import io.idlalayer.middleware.placement.PolicyCase;
import java.util.List;

final class PlacedMemoryStressTest extends SharedWeightsContract {
  @Override
  protected List<PolicyCase> policies() {
    return PolicyCase.shipped();
  }
}
