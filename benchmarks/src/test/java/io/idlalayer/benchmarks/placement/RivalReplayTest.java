package io.idlalayer.benchmarks.placement;

import io.idlalayer.middleware.placement.PolicyCase;
import io.idlalayer.middleware.placement.trace.TraceReplayContract;
import java.util.List;

final class RivalReplayTest extends TraceReplayContract {
  @Override
  protected List<PolicyCase> policies() {
    return Rivals.all();
  }
}
