package io.idlalayer.modelcontroller.training.placed;

import io.idlalayer.middleware.memory.DeviceFullException;
import io.idlalayer.middleware.memory.MemObject;
import io.idlalayer.middleware.memory.ReadLease;
import io.idlalayer.middleware.memory.TieredMemory;
import io.idlalayer.middleware.placement.api.AllocationRequest;
import io.idlalayer.middleware.placement.api.KernelEvent;
import io.idlalayer.middleware.placement.api.PlacementPolicy;
import io.idlalayer.middleware.placement.api.ForwardingPlacementPolicy;
import io.idlalayer.middleware.placement.engine.PolicyEnvironment;
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

  private long digest(MemObject object) throws InterruptedException {
    CRC32 crc = new CRC32();
    try (ReadLease lease = memory.read(object)) {
      crc.update(lease.bytes());
    }
    return crc.getValue();
  }

  @Override
  public void attach(TieredMemory given, PolicyEnvironment environment) {
    memory = given;
    super.attach(given, environment);
  }

  @Override
  public MemObject allocate(AllocationRequest request) throws InterruptedException {
    int now = allocations++;
    if (now == failAt) {
      throw new DeviceFullException("watched", request.bytes(), 0, 0);
    }
    if (now == interruptAt) {
      throw new InterruptedException("while making room");
    }
    return super.allocate(request);
  }

  @Override
  public void beforeKernel(KernelEvent event) throws InterruptedException {
    super.beforeKernel(event);
    watch(event);
  }

  @Override
  public boolean beforePieces(KernelEvent event) throws InterruptedException {
    boolean buffers = super.beforePieces(event);
    watch(event);
    return buffers;
  }

  private void watch(KernelEvent event) throws InterruptedException {
    before.clear();
    if (watch) {
      for (MemObject object : memory.objects()) {
        if (!event.writes().contains(object)) {
          before.put(object, digest(object));
        }
      }
    }
  }

  @Override
  public void afterKernel(KernelEvent event, long nanos) throws InterruptedException {
    Set<MemObject> changed = new HashSet<>();
    for (Map.Entry<MemObject, Long> entry : before.entrySet()) {
      if (!entry.getKey().retired() && digest(entry.getKey()) != entry.getValue()) {
        changed.add(entry.getKey());
      }
    }
    if (!changed.isEmpty()) {
      broken.add("%s changed %s".formatted(event.name(), changed));
    }
    super.afterKernel(event, nanos);
  }
}
