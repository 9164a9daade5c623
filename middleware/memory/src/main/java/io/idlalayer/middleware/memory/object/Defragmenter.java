package io.idlalayer.middleware.memory.object;

import org.jspecify.annotations.Nullable;

/**
 * Moves the regions of a device to lower offsets, one after the other in the order of their
 * offsets, so that free bytes come to lie together. Each move is an ordinary {@link Move}: the
 * object stays whole if it fails, and readers continue. So no region is moved onto a part of
 * itself: if the gap below is too small, the region goes through a gap elsewhere, or stays. Objects
 * in use are not moved.
 */
final class Defragmenter {
  private final TieredMemory memory;
  private final Device device;
  private long bytes;

  Defragmenter(TieredMemory memory, Device device) {
    this.memory = memory;
    this.device = device;
  }

  /** Moves the regions once, from the lowest offset to the highest. Returns the bytes copied. */
  long run() throws InterruptedException {
    long holeAt = Long.MAX_VALUE;
    for (Region region : device.regions()) {
      if (region.state == RegionState.FREE) {
        holeAt = Math.min(holeAt, region.offset);
      } else if (region.offset > holeAt) {
        lower(region);
      }
    }
    return bytes;
  }

  private void lower(Region region) throws InterruptedException {
    MemObject object = region.parent;
    if (object == null || !region.evictable()) {
      return;
    }
    Move move = new Move(memory, object);
    if (!object.beginIdle(move)) {
      return;
    }
    try (move) {
      if (region.parent != object) {
        return;
      }
      if (relocate(move, region, device.allocateBelow(region.bytes, region.offset)) != region
          || !device.freeBefore(region)) {
        return;
      }
      Region above = relocate(move, region, device.allocate(region.bytes));
      relocate(move, above, device.allocateBelow(above.bytes, above.offset));
    } catch (PinnedException e) {
      // It was pinned meanwhile, and stays where it is.
      return;
    }
  }

  /**
   * Moves an object from one region to another, if there is one, and returns the region that holds
   * it afterwards.
   */
  private Region relocate(Move move, Region from, @Nullable Region to) throws InterruptedException {
    if (to == null) {
      return from;
    }
    try {
      bytes += move.relocate(from, to);
      return to;
    } finally {
      if (to.parent == null) {
        device.free(to, false);
      }
    }
  }
}
