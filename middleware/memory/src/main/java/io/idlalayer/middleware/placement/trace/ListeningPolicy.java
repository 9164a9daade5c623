package io.idlalayer.middleware.placement.trace;

import io.idlalayer.middleware.memory.MemObject;
import io.idlalayer.middleware.placement.api.Action;
import io.idlalayer.middleware.placement.api.ForwardingPlacementPolicy;
import io.idlalayer.middleware.placement.api.KernelEvent;
import io.idlalayer.middleware.placement.api.MemoryView;
import io.idlalayer.middleware.placement.api.PlacementPolicy;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Does what another policy does, and tells a recorder. */
final class ListeningPolicy extends ForwardingPlacementPolicy {
  private final TraceRecorder recorder;

  ListeningPolicy(PlacementPolicy policy, TraceRecorder recorder) {
    super(policy);
    this.recorder = recorder;
  }

  @Override
  public List<Action> after(KernelEvent kernel, long nanos, MemoryView view) {
    Set<MemObject> slow = new LinkedHashSet<>();
    for (MemObject object : kernel.arguments()) {
      if (!object.retired() && !view.inFast(object)) {
        slow.add(object);
      }
    }
    recorder.placed(kernel, slow);
    return super.after(kernel, nanos, view);
  }

  @Override
  public void softEvicted(MemObject object, MemoryView view) {
    recorder.softEvicted(object);
    super.softEvicted(object, view);
  }
}
