package io.idlalayer.middleware.placement.engine;

import io.idlalayer.middleware.placement.PolicyCase;
import java.util.List;

final class PiecesPropertyTest extends PiecesContract {
  @Override
  protected List<PolicyCase> policies() {
    return PolicyCase.shipped();
  }
}
