package io.idlalayer.middleware.placement.engine;

import io.idlalayer.middleware.placement.PolicyCase;
import java.util.List;

final class PlacedMemoryPropertyTest extends PlacedMemoryContract {
  @Override
  protected List<PolicyCase> policies() {
    return PolicyCase.shipped();
  }
}
