package io.idlalayer.benchmarks.placement;

import io.idlalayer.middleware.placement.PolicyCase;
import io.idlalayer.middleware.placement.trace.PieceReplayContract;
import java.util.List;

final class RivalPieceReplayPropertyTest extends PieceReplayContract {
  @Override
  protected List<PolicyCase> policies() {
    return Rivals.all();
  }
}
