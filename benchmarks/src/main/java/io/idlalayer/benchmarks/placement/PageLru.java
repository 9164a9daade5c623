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
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Emulates virtual memory on an accelerator: pages come to the fast device when a kernel touches
 * them, and the least recently used one leaves. Every object lies on the slow device; kernels take
 * the time that the faults would have taken in addition. The rival of Chen 2020, whose device
 * serves faults at a third of the speed of its copies. Like there, the bytes of retired objects
 * stay in their pages until others use these addresses.
 */
public final class PageLru implements EmulatedCache {
  /** Bytes of a page. */
  private static final int PAGE_BYTES = 64 << 10;

  /** Bandwidth of faults, as a share of that of copies: 4.295 of 12.5 GB/s in the source. */
  private static final double FAULT_SHARE = 0.344;

  private static final int INITIAL_PAGES = 16;
  private static final float LOAD_FACTOR = 0.75f;
  private static final double NANOS_PER_SECOND = 1e9;

  /** Whether each page on the fast device was changed there, the least recently used one first. */
  private final Map<Long, Boolean> pages = new LinkedHashMap<>(INITIAL_PAGES, LOAD_FACTOR, true);

  private final IdentityHashMap<KernelSite, Faults> running = new IdentityHashMap<>();
  private Faults all = Faults.NONE;

  /**
   * Pages that moved.
   *
   * @param hits number of pages that were there
   * @param in number of pages that were copied to the fast device
   * @param out number of changed pages that left it
   */
  private record Faults(long hits, long in, long out) {
    static final Faults NONE = new Faults(0, 0, 0);

    Faults plus(Faults more) {
      return new Faults(hits + more.hits, in + more.in, out + more.out);
    }

    double nanos(DeviceSpeed slow) {
      double reads = PAGE_BYTES * NANOS_PER_SECOND / (FAULT_SHARE * slow.readBytesPerSecond());
      double writes = PAGE_BYTES * NANOS_PER_SECOND / slow.writeBytesPerSecond();
      return in * (reads + slow.readLatencyNanos()) + out * (writes + slow.writeLatencyNanos());
    }
  }

  @Override
  public String name() {
    return "page-lru";
  }

  @Override
  public TagStats tags() {
    long lines = PAGE_BYTES / TwoLevelCache.LINE_BYTES;
    return new TagStats(
        lines * all.hits,
        lines * all.in,
        0,
        0,
        lines * (all.hits + all.out),
        lines * (all.hits + all.in),
        lines * all.in,
        lines * all.out);
  }

  @Override
  public Placement place(AllocationRequest request, MemoryView view) {
    return Placement.of(Placement.SLOW);
  }

  @Override
  public List<Action> before(KernelEvent kernel, MemoryView view) {
    Set<MemObject> written = new LinkedHashSet<>(kernel.writes());
    Set<MemObject> arguments = new LinkedHashSet<>(kernel.reads());
    arguments.addAll(written);
    Faults faults = Faults.NONE;
    for (MemObject object : arguments) {
      faults = faults.plus(touch(object, written.contains(object), false, view));
    }
    running.put(kernel.site(), faults);
    return List.of();
  }

  /** A page of a new object is filled with zeros where it is needed: only others have to leave. */
  @Override
  public List<Action> placed(
      MemObject object, AllocationRequest request, @Nullable KernelEvent kernel, MemoryView view) {
    if (kernel != null) {
      running.merge(kernel.site(), touch(object, true, true, view), Faults::plus);
    }
    return List.of();
  }

  private Faults touch(MemObject object, boolean writes, boolean created, MemoryView view) {
    long most = Math.max(1, view.fast().budgetBytes() / PAGE_BYTES);
    long first = view.offset(object) / PAGE_BYTES;
    long last = (view.offset(object) + Math.max(1, object.bytes()) - 1) / PAGE_BYTES;
    long hits = 0;
    long in = 0;
    long out = 0;
    for (long page = first; page <= last; page++) {
      Boolean changed = pages.get(page);
      if (changed != null) {
        hits++;
      } else {
        in += created ? 0 : 1;
        out += pages.size() >= most && evict() ? 1 : 0;
      }
      pages.put(page, writes || Boolean.TRUE.equals(changed));
    }
    Faults faults = new Faults(hits, in, out);
    all = all.plus(faults);
    return faults;
  }

  /** Evicts the least recently used page. Returns whether it has to be written. */
  private boolean evict() {
    Iterator<Boolean> oldest = pages.values().iterator();
    boolean changed = oldest.next();
    oldest.remove();
    return changed;
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
    Faults faults = running.getOrDefault(kernel.site(), Faults.NONE);
    return fastNanos + Math.round(faults.nanos(view.slow().spec().speed()));
  }
}
