package io.idlalayer.benchmarks.placement;

import io.idlalayer.benchmarks.emulation.TagStats;
import io.idlalayer.benchmarks.emulation.TwoLevelCache;
import io.idlalayer.middleware.memory.device.DeviceSpeed;
import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.placement.api.Action;
import io.idlalayer.middleware.placement.api.AllocationRequest;
import io.idlalayer.middleware.placement.api.KernelEvent;
import io.idlalayer.middleware.placement.api.KernelSite;
import io.idlalayer.middleware.placement.api.MemoryView;
import io.idlalayer.middleware.placement.api.Placement;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Emulates a hardware cache: every object lies on the slow device, and the fast device is a cache
 * of its lines. Kernels use the bytes where they lie; the accesses of the cache are counted, and
 * kernels take the time that these would have taken.
 */
public final class TwoLevelMemory implements EmulatedCache {
  private static final double NANOS_PER_SECOND = 1e9;

  private final String name;
  private final TwoLevelCache.Options options;
  private final @Nullable DeferredRetirement retirement;

  /** Accesses of the cache by the kernels that run now. */
  private final IdentityHashMap<KernelSite, TagStats> running = new IdentityHashMap<>();

  private @Nullable TwoLevelCache cache;

  /**
   * @param eager whether the addresses of retired objects are reused at once (mode M)
   */
  public TwoLevelMemory(String name, boolean eager, TwoLevelCache.Options options) {
    this.name = name;
    this.options = options;
    retirement = eager ? null : new DeferredRetirement();
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public TagStats tags() {
    return cache == null ? TagStats.NONE : cache.snapshot();
  }

  private TwoLevelCache cache(MemoryView view) {
    TwoLevelCache lines = cache;
    if (lines == null) {
      long count = view.fast().budgetBytes() / TwoLevelCache.LINE_BYTES;
      lines =
          new TwoLevelCache(
              count * TwoLevelCache.LINE_BYTES, view.slow().spec().capacityBytes(), options);
      cache = lines;
    }
    return lines;
  }

  @Override
  public Placement place(AllocationRequest request, MemoryView view) {
    return Placement.of(Placement.SLOW);
  }

  @Override
  public List<Action> makeSpace(AllocationRequest request, MemoryView view) {
    return retirement == null ? List.of() : retirement.collect();
  }

  /** An argument that is changed in place is read once: by its stores, for ownership. */
  @Override
  public List<Action> before(KernelEvent kernel, MemoryView view) {
    TwoLevelCache lines = cache(view);
    TagStats before = lines.snapshot();
    Set<MemObject> written = new LinkedHashSet<>(kernel.writes());
    for (MemObject object : new LinkedHashSet<>(kernel.reads())) {
      if (!written.contains(object)) {
        lines.read(view.offset(object), object.bytes());
      }
    }
    for (MemObject object : written) {
      lines.write(view.offset(object), object.bytes(), TwoLevelCache.StoreKind.STANDARD);
    }
    running.put(kernel.site(), lines.snapshot().since(before));
    return List.of();
  }

  @Override
  public List<Action> placed(
      MemObject object, AllocationRequest request, @Nullable KernelEvent kernel, MemoryView view) {
    if (kernel != null) {
      TwoLevelCache lines = cache(view);
      TagStats before = lines.snapshot();
      lines.write(view.offset(object), object.bytes(), TwoLevelCache.StoreKind.STANDARD);
      running.merge(kernel.site(), lines.snapshot().since(before), TagStats::plus);
    }
    return List.of();
  }

  @Override
  public List<Action> after(KernelEvent kernel, long nanos, MemoryView view) {
    running.remove(kernel.site());
    return List.of();
  }

  @Override
  public void failed(KernelEvent kernel) {
    running.remove(kernel.site());
  }

  @Override
  public long kernelNanos(KernelEvent kernel, long fastNanos, MemoryView view) {
    TagStats used = running.getOrDefault(kernel.site(), TagStats.NONE);
    DeviceSpeed dram = view.fast().spec().speed();
    double line = TwoLevelCache.LINE_BYTES;
    double fast =
        (used.fastReads() + used.fastWrites())
            * line
            / dram.readBytesPerSecond()
            * NANOS_PER_SECOND;
    double slow = used.slowNanos(view.slow().spec().speed());
    return Math.max(fastNanos, Math.round(Math.max(fast, slow)));
  }

  @Override
  public List<Action> released(MemObject object, MemoryView view) {
    return retirement == null
        ? EmulatedCache.super.released(object, view)
        : retirement.add(object, view);
  }

  /** Collects retired objects. */
  @Override
  public List<Action> endOfStep(MemoryView view) {
    return retirement == null ? List.of() : retirement.collect();
  }
}
