package io.idlalayer.middleware.placement.trace;

import io.idlalayer.middleware.memory.DeviceId;
import io.idlalayer.middleware.memory.MemObject;
import io.idlalayer.middleware.memory.TieredMemory;
import io.idlalayer.middleware.placement.KernelEvent;
import io.idlalayer.middleware.placement.PlacementPolicy;
import io.idlalayer.middleware.placement.PolicyAround;
import io.idlalayer.middleware.placement.PolicyEnvironment;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Does what another policy does, and tells a recorder. */
final class ListeningPolicy extends PolicyAround {
  private final TraceRecorder recorder;
  private @Nullable DeviceId fast;

  ListeningPolicy(PlacementPolicy policy, TraceRecorder recorder) {
    super(policy);
    this.recorder = recorder;
  }

  @Override
  public void attach(TieredMemory memory, PolicyEnvironment environment) {
    super.attach(memory, environment);
    fast = environment.fast();
  }

  @Override
  public void afterKernel(KernelEvent event, long nanos) throws InterruptedException {
    Set<MemObject> slow = new LinkedHashSet<>();
    for (MemObject object : event.reads()) {
      note(object, slow);
    }
    for (MemObject object : event.writes()) {
      note(object, slow);
    }
    recorder.placed(event, slow);
    super.afterKernel(event, nanos);
  }

  private void note(MemObject object, Set<MemObject> slow) {
    if (fast != null && !object.retired() && !object.in(fast)) {
      slow.add(object);
    }
  }

  @Override
  public void softEvict(MemObject object) {
    recorder.softEvicted(object);
    super.softEvict(object);
  }
}
