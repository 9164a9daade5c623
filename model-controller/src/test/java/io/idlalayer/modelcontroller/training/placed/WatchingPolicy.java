package io.idlalayer.modelcontroller.training.placed;

import io.idlalayer.middleware.memory.DeviceFullException;
import io.idlalayer.middleware.memory.MemObject;
import io.idlalayer.middleware.memory.ReadLease;
import io.idlalayer.middleware.memory.TieredMemory;
import io.idlalayer.middleware.placement.api.Action;
import io.idlalayer.middleware.placement.api.AllocationRequest;
import io.idlalayer.middleware.placement.api.ForwardingPlacementPolicy;
import io.idlalayer.middleware.placement.api.KernelEvent;
import io.idlalayer.middleware.placement.api.MemoryView;
import io.idlalayer.middleware.placement.api.Placement;
import io.idlalayer.middleware.placement.api.PlacementPolicy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.zip.CRC32;

/**
 * Does what another policy does, and sees to it that kernels change nothing but what they said they
 * would. Fails or is interrupted at one allocation, if asked to.
 */
final class WatchingPolicy extends ForwardingPlacementPolicy {
  private final Map<MemObject, Long> before = new HashMap<>();
  private TieredMemory memory;
  private int allocations;
  final List<String> broken = new ArrayList<>();
  boolean watch = true;
  int failAt = -1;
  int interruptAt = -1;

  WatchingPolicy(PlacementPolicy policy) {
    super(policy);
  }

  int allocations() {
    return allocations;
  }

  /** Watches the objects of a memory. */
  WatchingPolicy in(TieredMemory given) {
    memory = given;
    return this;
  }

  private long digest(MemObject object) {
    CRC32 crc = new CRC32();
    try (ReadLease lease = memory.read(object)) {
      crc.update(lease.bytes());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
    return crc.getValue();
  }

  @Override
  public Placement place(AllocationRequest request, MemoryView view) {
    int now = allocations++;
    if (now == failAt) {
      throw new DeviceFullException("watched", request.bytes(), 0, 0);
    }
    if (now == interruptAt) {
      Thread.currentThread().interrupt();
    }
    return super.place(request, view);
  }

  @Override
  public List<Action> before(KernelEvent event, MemoryView view) {
    before.clear();
    if (watch && memory != null) {
      for (MemObject object : memory.objects()) {
        if (!event.writes().contains(object)) {
          before.put(object, digest(object));
        }
      }
    }
    return super.before(event, view);
  }

  @Override
  public List<Action> after(KernelEvent event, long nanos, MemoryView view) {
    Set<MemObject> changed = new HashSet<>();
    for (Map.Entry<MemObject, Long> entry : before.entrySet()) {
      if (!entry.getKey().retired() && digest(entry.getKey()) != entry.getValue()) {
        changed.add(entry.getKey());
      }
    }
    if (!changed.isEmpty()) {
      broken.add("%s changed %s".formatted(event.name(), changed));
    }
    return super.after(event, nanos, view);
  }
}
