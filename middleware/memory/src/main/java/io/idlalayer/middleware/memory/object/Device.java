package io.idlalayer.middleware.memory.object;

import io.idlalayer.middleware.memory.device.Arena;
import io.idlalayer.middleware.memory.device.ArenaPlaces;
import io.idlalayer.middleware.memory.device.DeviceFullException;
import io.idlalayer.middleware.memory.device.DeviceId;
import io.idlalayer.middleware.memory.device.DeviceSpec;
import io.idlalayer.middleware.memory.device.DeviceUse;
import io.idlalayer.middleware.memory.device.TieredMemoryException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A device of a memory: the regions on it and the budget that bounds them. Its lock is never held
 * during a copy.
 */
final class Device {
  private static final byte POISON = (byte) 0xEE;

  final DeviceId id;
  final DeviceSpec spec;
  final Arena arena;
  final ArenaPlaces places;
  private final AddressSpace space;
  private final boolean poison;
  private final ReentrantLock lock = new ReentrantLock();
  private long budgetBytes;
  private long highWaterBytes;

  Device(DeviceId id, DeviceSpec spec, Arena arena, boolean poison) {
    if (arena.capacityBytes() != spec.capacityBytes()) {
      throw new IllegalArgumentException(
          "device %s has %,d bytes, but its arena %,d"
              .formatted(spec.name(), spec.capacityBytes(), arena.capacityBytes()));
    }
    this.id = id;
    this.spec = spec;
    this.arena = arena;
    places = arena.places();
    this.poison = poison;
    budgetBytes = spec.capacityBytes();
    space = new AddressSpace(this);
  }

  <T extends @Nullable Object> T locked(Supplier<T> action) {
    lock.lock();
    try {
      return action.get();
    } finally {
      lock.unlock();
    }
  }

  @Nullable Region allocate(long bytes) {
    return allocate(bytes, space::allocate);
  }

  /**
   * Allocates a region at the end of a free region instead of its start, otherwise like {@link
   * #allocate}.
   */
  @Nullable Region allocateAtEnd(long bytes) {
    return allocate(bytes, space::allocateAtEnd);
  }

  /**
   * Allocates a region that kernels access by loads and stores, otherwise like {@link #allocate}.
   */
  @Nullable Region allocateDirect(long bytes) {
    return allocate(bytes, space::allocateDirect);
  }

  /**
   * Allocates a region at the lowest possible offset below a limit, otherwise like {@link
   * #allocate}.
   */
  @Nullable Region allocateBelow(long bytes, long limit) {
    return allocate(bytes, aligned -> space.allocateBelow(aligned, limit));
  }

  /** Allocates a region at an offset, otherwise like {@link #allocate}. */
  @Nullable Region allocateAt(long offset, long bytes) {
    if (offset < 0 || offset % spec.alignBytes() != 0) {
      throw new IllegalArgumentException(
          "device %s: a region at offset %d; 0 or a multiple of %d is needed"
              .formatted(spec.name(), offset, spec.alignBytes()));
    }
    return allocate(bytes, aligned -> space.allocateAt(offset, aligned));
  }

  private @Nullable Region allocate(long bytes, LongFunction<@Nullable Region> fit) {
    if (bytes <= 0) {
      throw new IllegalArgumentException(
          "device %s: a region of %d bytes; at least 1 is needed".formatted(spec.name(), bytes));
    }
    long aligned = spec.alignedBytes(bytes);
    lock.lock();
    try {
      if (space.occupiedBytes() + aligned > budgetBytes) {
        return null;
      }
      Region region = fit.apply(aligned);
      highWaterBytes = Math.max(highWaterBytes, space.occupiedBytes());
      return region;
    } finally {
      lock.unlock();
    }
  }

  boolean freeBefore(Region region) {
    return locked(() -> space.freeBefore(region));
  }

  /**
   * Records that a background copy into a region begins; until it ends, the region is not freed.
   */
  void fill(Region region) {
    lock.lock();
    try {
      region.filling++;
    } finally {
      lock.unlock();
    }
  }

  void filled(Region region) {
    lock.lock();
    try {
      region.filling--;
    } finally {
      lock.unlock();
    }
    release(region);
  }

  /** Frees a region in quarantine if no lease uses it any more. */
  void release(Region region) {
    lock.lock();
    try {
      if (region.state == RegionState.QUARANTINE && region.leases == 0) {
        free(region, false);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Frees a region, or puts it into quarantine while a lease or a background copy uses it. */
  void free(Region region, boolean leased) {
    lock.lock();
    try {
      if (region.state != RegionState.USED && region.state != RegionState.QUARANTINE) {
        throw new DoubleFreeException(region + " is not in use");
      }
      if (leased || region.filling > 0) {
        region.state = RegionState.QUARANTINE;
      } else {
        if (poison && region.direct()) {
          poison(region);
        }
        arena.discard(region.offset, region.bytes);
        space.free(region);
      }
    } finally {
      lock.unlock();
    }
  }

  private void poison(Region region) {
    ByteBuffer view = arena.view(region.offset, Math.toIntExact(region.bytes));
    while (view.hasRemaining()) {
      view.put(POISON);
    }
  }

  DeviceFullException full(long bytes) {
    return locked(
        () ->
            new DeviceFullException(
                spec.name(),
                spec.alignedBytes(bytes),
                budgetBytes - space.occupiedBytes(),
                space.largestFreeBytes()));
  }

  void budget(long bytes) {
    lock.lock();
    try {
      if (bytes < 0 || bytes > spec.capacityBytes()) {
        throw new IllegalArgumentException(
            "device %s: a budget of %,d bytes; 0 to %,d is possible"
                .formatted(spec.name(), bytes, spec.capacityBytes()));
      }
      if (bytes < space.occupiedBytes()) {
        throw new IllegalArgumentException(
            "device %s: a budget of %,d bytes while %,d are occupied; evict %,d first"
                .formatted(
                    spec.name(), bytes, space.occupiedBytes(), space.occupiedBytes() - bytes));
      }
      budgetBytes = bytes;
    } finally {
      lock.unlock();
    }
  }

  DeviceUse use() {
    return locked(
        () ->
            new DeviceUse(
                spec,
                budgetBytes,
                space.occupiedBytes(),
                highWaterBytes,
                space.largestFreeBytes()));
  }

  List<Region> regions() {
    return locked(() -> new ArrayList<>(space.regions()));
  }

  /**
   * Chooses adjacent regions around one of the starts for an eviction and claims them; null if none
   * will do.
   */
  @Nullable List<Region> claim(Iterable<Region> starts, long bytes, EvictionCallback callback) {
    long aligned = spec.alignedBytes(bytes);
    lock.lock();
    try {
      long excess = space.occupiedBytes() + aligned - budgetBytes;
      for (Region start : starts) {
        List<Region> span =
            start.device == this && start.state != RegionState.GONE
                ? space.span(start, aligned, excess, callback::mayEvict)
                : null;
        if (span != null) {
          space.claim(span);
          return span;
        }
      }
      return null;
    } finally {
      lock.unlock();
    }
  }

  @Nullable Region release(long from, long to) {
    return locked(() -> space.release(from, to));
  }

  /** Empties a span around one of the starts; see {@link TieredMemory#evictFrom}. */
  Span evict(Iterable<Region> starts, long bytes, EvictionCallback callback)
      throws InterruptedException {
    if (bytes <= 0) {
      throw new IllegalArgumentException("room for " + bytes + " bytes; at least 1 is needed");
    }
    List<Region> span = claim(starts, bytes, callback);
    if (span == null) {
      throw full(bytes);
    }
    return empty(span, callback);
  }

  /** Returns the regions in a range; see {@link TieredMemory#regionsAt}. */
  List<Region> regionsAt(long offset, long bytes) {
    return locked(() -> space.range(offset, spec.alignedBytes(bytes)));
  }

  /** Empties a range of bytes; see {@link TieredMemory#evictAt}. */
  boolean evictAt(long offset, long bytes, EvictionCallback callback) throws InterruptedException {
    List<Region> range =
        locked(
            () -> {
              List<Region> all = space.range(offset, spec.alignedBytes(bytes), callback::mayEvict);
              if (all != null) {
                space.claim(all);
              }
              return all;
            });
    if (range == null) {
      return false;
    }
    empty(range, callback);
    return true;
  }

  /** Evicts the regions of a claimed span. */
  private Span empty(List<Region> span, EvictionCallback callback) throws InterruptedException {
    long from = span.stream().mapToLong(region -> region.offset).min().orElseThrow();
    long to = span.stream().mapToLong(Region::end).max().orElseThrow();
    List<Region> victims =
        span.stream().filter(region -> region.state == RegionState.USED).toList();
    Region free;
    try {
      for (Region victim : victims) {
        evict(victim, callback);
      }
    } finally {
      free = release(from, to);
    }
    if (free == null || free.end() < to) {
      throw new AbortedEvictionException(
          "bytes %d to %d of device %s did not become free".formatted(from, to, spec.name()), null);
    }
    return new Span(id, free.offset, free.bytes);
  }

  private static void evict(Region victim, EvictionCallback callback) throws InterruptedException {
    if (victim.state != RegionState.USED) {
      return;
    }
    try {
      callback.evict(victim);
    } catch (TieredMemoryException e) {
      throw new AbortedEvictionException(
          "%s could not be evicted: %s".formatted(victim, e.getMessage()), e);
    }
    if (victim.state != RegionState.GONE) {
      throw new AbortedEvictionException(victim + " was to be evicted, but is in use", null);
    }
  }

  /** Has an audit check the regions of this device, which do not change meanwhile. */
  void audit(Audit audit) {
    lock.lock();
    try {
      audit.space(this, space, budgetBytes);
    } finally {
      lock.unlock();
    }
  }
}
