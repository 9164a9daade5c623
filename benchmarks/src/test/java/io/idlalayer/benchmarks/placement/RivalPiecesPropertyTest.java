package io.idlalayer.benchmarks.placement;

import io.idlalayer.middleware.placement.PolicyCase;
import io.idlalayer.middleware.placement.engine.PiecesContract;
import java.util.List;

final class RivalPiecesPropertyTest extends PiecesContract {
  @Override
  protected List<PolicyCase> policies() {
    return Rivals.all();
  }
}
