package io.idlalayer.middleware.memory.object;

import io.idlalayer.middleware.memory.device.Arena;
import io.idlalayer.middleware.memory.device.ArenaPlaces;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The regions, used and free, into which the bytes of a device are divided. They cover the device
 * without gaps, free neighbours in a piece are merged, and a request takes the smallest free region
 * that is large enough, of equal ones the lowest, in the cheapest place of the device that has one.
 * Guarded by the device's lock.
 *
 * <p>The allocator of the hot cache ({@code cache.memory.BlockMemory}) does not fit here: it keeps
 * its metadata in the blocks, where each look at a slow device would be a slow access; it aligns to
 * 16 bytes, and tensors need more; and it knows no neighbours by address, which the eviction of a
 * span needs.
 */
final class AddressSpace {
  private static final Comparator<Region> BEST_FIT =
      Comparator.<Region>comparingLong(region -> region.bytes)
          .thenComparingLong(region -> region.offset);

  private final Device device;
  private final Arena arena;
  private final ArenaPlaces places;
  private final TreeMap<Long, Region> byOffset = new TreeMap<>();

  /** Free regions by the index of their place. */
  private final List<TreeSet<Region>> free = new ArrayList<>();

  private final Region wanted;
  private long occupiedBytes;

  AddressSpace(Device device) {
    this.device = device;
    arena = device.arena;
    places = device.places;
    for (int i = 0; i < places.count(); i++) {
      free.add(new TreeSet<>(BEST_FIT));
    }
    wanted = new Region(device, -1, 0, RegionState.GONE);
    long capacity = device.spec.capacityBytes();
    long at = 0;
    while (at < capacity) {
      long end = arena.pieceEnd(at);
      addFree(new Region(device, at, end - at, RegionState.FREE));
      at = end;
    }
  }

  /** Returns the number of bytes of the regions that are used or in quarantine. */
  long occupiedBytes() {
    return occupiedBytes;
  }

  long largestFreeBytes() {
    long largest = 0;
    for (int place : places.byCost()) {
      TreeSet<Region> there = free.get(place);
      largest = there.isEmpty() ? largest : Math.max(largest, there.last().bytes);
    }
    return largest;
  }

  Collection<Region> regions() {
    return byOffset.values();
  }

  int freeCount() {
    return free.stream().mapToInt(TreeSet::size).sum();
  }

  /** Allocates a region in the cheapest place that has a free region large enough. */
  @Nullable Region allocate(long bytes) {
    Region found = bestFit(bytes, place -> true);
    return found == null ? null : take(found, bytes);
  }

  /**
   * Allocates a region in the cheapest place that kernels access by loads and stores, otherwise
   * like {@link #allocate}.
   */
  @Nullable Region allocateDirect(long bytes) {
    Region found = bestFit(bytes, places::direct);
    return found == null ? null : take(found, bytes);
  }

  private @Nullable Region bestFit(long bytes, IntPredicate allowed) {
    wanted.bytes = bytes;
    for (int place : places.byCost()) {
      Region found = allowed.test(place) ? free.get(place).ceiling(wanted) : null;
      if (found != null) {
        return found;
      }
    }
    return null;
  }

  private Set<Region> freeAround(Region region) {
    return free.get(places.at(region.offset));
  }

  /** Allocates a region at the end of the smallest free region that is large enough. */
  @Nullable Region allocateAtEnd(long bytes) {
    Region found = bestFit(bytes, place -> true);
    if (found == null || found.bytes == bytes) {
      return found == null ? null : take(found, bytes);
    }
    freeAround(found).remove(found);
    found.bytes -= bytes;
    freeAround(found).add(found);
    Region used = new Region(device, found.end(), bytes, RegionState.USED);
    byOffset.put(used.offset, used);
    occupiedBytes += bytes;
    return used;
  }

  /**
   * Allocates a region in the lowest free region that is large enough and begins below a limit, in
   * the place of the limit.
   */
  @Nullable Region allocateBelow(long bytes, long limit) {
    int place = places.at(limit);
    long start = place == 0 ? 0 : places.end(place - 1);
    for (Region region : byOffset.subMap(start, Math.max(start, limit)).values()) {
      if (region.state == RegionState.FREE && region.bytes >= bytes) {
        return take(region, bytes);
      }
    }
    return null;
  }

  /** Allocates a region at an offset if all of its bytes are in one free region. */
  @Nullable Region allocateAt(long offset, long bytes) {
    Region found = value(byOffset.floorEntry(offset));
    if (found == null || found.state != RegionState.FREE || found.end() < offset + bytes) {
      return null;
    }
    long from = found.offset;
    long to = found.end();
    drop(found);
    if (from < offset) {
      addFree(new Region(device, from, offset - from, RegionState.FREE));
    }
    if (offset + bytes < to) {
      addFree(new Region(device, offset + bytes, to - offset - bytes, RegionState.FREE));
    }
    Region used = new Region(device, offset, bytes, RegionState.USED);
    byOffset.put(offset, used);
    occupiedBytes += bytes;
    return used;
  }

  /** Returns whether the region in front of this one is free and in the same piece of the arena. */
  boolean freeBefore(Region region) {
    Region before = value(byOffset.lowerEntry(region.offset));
    return before != null && joins(before, region.offset);
  }

  private Region take(Region found, long bytes) {
    freeAround(found).remove(found);
    byOffset.remove(found.offset);
    Region used = new Region(device, found.offset, bytes, RegionState.USED);
    byOffset.put(used.offset, used);
    if (found.bytes > bytes) {
      found.offset += bytes;
      found.bytes -= bytes;
      addFree(found);
    } else {
      found.state = RegionState.GONE;
    }
    occupiedBytes += bytes;
    return used;
  }

  /** Frees a used or quarantined region. */
  void free(Region region) {
    region.state = RegionState.GONE;
    byOffset.remove(region.offset);
    occupiedBytes -= region.bytes;
    if (region.claimed) {
      Region empty = new Region(device, region.offset, region.bytes, RegionState.RESERVED);
      byOffset.put(empty.offset, empty);
      return;
    }
    addFree(merged(region.offset, region.end()));
  }

  private void addFree(Region region) {
    byOffset.put(region.offset, region);
    freeAround(region).add(region);
  }

  /**
   * Creates a free region for a range of bytes, merged with the free regions on both sides that lie
   * in the same piece of the arena.
   */
  private Region merged(long from, long to) {
    long start = from;
    long end = to;
    Map.Entry<Long, Region> before = byOffset.lowerEntry(from);
    if (before != null && joins(before.getValue(), start)) {
      start = before.getKey();
      drop(before.getValue());
    }
    Region after = byOffset.get(to);
    if (after != null && joins(after, start)) {
      end = after.end();
      drop(after);
    }
    return new Region(device, start, end - start, RegionState.FREE);
  }

  private boolean joins(Region neighbour, long start) {
    return neighbour.state == RegionState.FREE && samePiece(neighbour.offset, start);
  }

  private void drop(Region region) {
    byOffset.remove(region.offset);
    if (region.state == RegionState.FREE) {
      freeAround(region).remove(region);
    }
    region.state = RegionState.GONE;
  }

  private boolean samePiece(long a, long b) {
    return arena.pieceEnd(a) == arena.pieceEnd(b);
  }

  /**
   * Finds adjacent regions around a given one that together are long enough and free enough bytes.
   * Takes regions forward from it as far as possible, then backward.
   *
   * @param bytes least length of the span
   * @param occupied least bytes of used regions in it
   * @return the forward part in address order, then the backward part outward; null if there is
   *     none
   */
  @Nullable List<Region> span(
      Region start, long bytes, long occupied, Predicate<Region> evictable) {
    List<Region> span = new ArrayList<>();
    long total = 0;
    long freed = 0;
    boolean backward = false;
    Region next = start;
    while (true) {
      if (next == null || !samePiece(next.offset, start.offset) || !open(next, evictable)) {
        if (backward || span.isEmpty()) {
          return null;
        }
        backward = true;
        next = value(byOffset.lowerEntry(start.offset));
        continue;
      }
      span.add(next);
      total += next.bytes;
      freed += next.state == RegionState.USED ? next.bytes : 0;
      if (total >= bytes && freed >= occupied) {
        return span;
      }
      next = backward ? value(byOffset.lowerEntry(next.offset)) : byOffset.get(next.end());
    }
  }

  /**
   * Returns the regions with bytes in a range, by their offsets; null if one of them may not be
   * evicted, or the range is not in one piece of the device.
   */
  @Nullable List<Region> range(long offset, long bytes, Predicate<Region> evictable) {
    List<Region> range = range(offset, bytes);
    boolean open = !range.isEmpty() && range.stream().allMatch(each -> open(each, evictable));
    return open ? range : null;
  }

  /**
   * Returns the regions with bytes in a range, by their offsets; empty if the range is not in one
   * piece of the device.
   */
  List<Region> range(long offset, long bytes) {
    Long first = byOffset.floorKey(offset);
    long end = offset + bytes;
    if (first == null || end > device.spec.capacityBytes() || !samePiece(offset, end - 1)) {
      return List.of();
    }
    return new ArrayList<>(byOffset.subMap(first, end).values());
  }

  private static @Nullable Region value(Map.@Nullable Entry<Long, Region> entry) {
    return entry == null ? null : entry.getValue();
  }

  private static boolean open(Region region, Predicate<Region> evictable) {
    return region.evictable() && (region.state == RegionState.FREE || evictable.test(region));
  }

  /**
   * Keeps the regions of a span from being allocated: free ones become reserved at once, the others
   * when they are freed.
   */
  void claim(List<Region> span) {
    for (Region region : span) {
      if (region.state == RegionState.FREE) {
        freeAround(region).remove(region);
        region.state = RegionState.RESERVED;
      } else {
        region.claimed = true;
      }
    }
  }

  /**
   * Gives up the claim on a span: its reserved regions become free.
   *
   * @return the free region at its start, if that is free now
   */
  @Nullable Region release(long from, long to) {
    for (Region region : new ArrayList<>(byOffset.subMap(from, to).values())) {
      region.claimed = false;
      if (region.state == RegionState.RESERVED) {
        drop(region);
        addFree(merged(region.offset, region.end()));
      }
    }
    Region first = value(byOffset.floorEntry(from));
    return first != null && first.state == RegionState.FREE ? first : null;
  }
}
