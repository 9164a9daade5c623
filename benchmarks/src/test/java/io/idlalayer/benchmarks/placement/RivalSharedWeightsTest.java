package io.idlalayer.benchmarks.placement;

import io.idlalayer.middleware.placement.PolicyCase;
import io.idlalayer.middleware.placement.engine.SharedWeightsContract;
import java.util.List;

final class RivalSharedWeightsTest extends SharedWeightsContract {
  @Override
  protected List<PolicyCase> policies() {
    return Rivals.all();
  }
}
