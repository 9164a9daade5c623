package io.idlalayer.middleware.memory.object;

import org.jspecify.annotations.Nullable;

/**
 * Moves regions of a device down, in the order of their addresses, so that what is free lies
 * together. Each move is an ordinary one: the object is whole whatever fails, and readers go on.
 * Hence a region never slides over itself: if the hole below is too small, it goes through a hole
 * elsewhere, or stays. Objects that are in use are left alone.
 */
final class Defragmenter {
  private final TieredMemory memory;
  private final Device device;
  private long bytes;

  Defragmenter(TieredMemory memory, Device device) {
    this.memory = memory;
    this.device = device;
  }

  /** One pass; bytes copied. */
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
      // Pinned meanwhile: it stays where it is.
      return;
    }
  }

  /** Where the object's bytes are afterwards. */
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
