package io.idlalayer.benchmarks.placement;

import io.idlalayer.middleware.placement.PolicyCase;
import io.idlalayer.middleware.placement.engine.KernelCreationContract;
import java.util.List;

final class RivalKernelCreationTest extends KernelCreationContract {
  @Override
  protected List<PolicyCase> policies() {
    return Rivals.all();
  }
}
