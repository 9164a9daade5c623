package io.idlalayer.middleware.placement.trace;

import io.idlalayer.middleware.placement.PolicyCase;
import java.util.List;

final class PieceReplayPropertyTest extends PieceReplayContract {
  @Override
  protected List<PolicyCase> policies() {
    return PolicyCase.shipped();
  }
}
