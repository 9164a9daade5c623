package io.idlalayer.middleware.placement;

import io.idlalayer.middleware.memory.DeviceId;
import io.idlalayer.middleware.memory.MemObject;
import io.idlalayer.middleware.memory.Move;
import io.idlalayer.middleware.memory.PinnedException;
import io.idlalayer.middleware.memory.Region;
import io.idlalayer.middleware.memory.TieredMemory;
import org.jspecify.annotations.Nullable;

/** How policies of two devices move objects: whole, and without an intermediate state. */
final class TierMoves {
  final TieredMemory memory;
  final DeviceId fast;
  final DeviceId slow;
  final PolicyCounts counts = new PolicyCounts();

  TierMoves(TieredMemory memory, PolicyEnvironment environment) {
    this.memory = memory;
    fast = environment.fast();
    slow = environment.slow();
  }

  /** A new object on a device, or null if there is no room. */
  @Nullable MemObject tryMake(DeviceId device, long bytes) {
    Region region = memory.allocate(device, bytes).orElse(null);
    return region == null ? null : memory.adopt(region, bytes);
  }

  MemObject make(DeviceId device, long bytes) {
    MemObject made = tryMake(device, bytes);
    if (made == null) {
      throw memory.full(device, bytes);
    }
    return made;
  }

  /**
   * Copies an object to a region in flight on the fast device, which becomes its primary. The
   * region is freed if that fails, or if the object is fast already.
   *
   * @param dropTwin whether the slow region goes: at once, or once nobody reads it any more
   * @return false if the object must not move now
   */
  boolean promote(MemObject object, Region target, boolean dropTwin) throws InterruptedException {
    boolean installed = false;
    try (Move move = memory.move(object)) {
      Region twin = move.primary();
      if (twin.in(fast)) {
        return true;
      }
      move.copyTo(target);
      move.install(target);
      installed = true;
      if (dropTwin) {
        move.linked(slow).ifPresent(move::drop);
      }
      counts.prefetches++;
      return true;
    } catch (PinnedException e) {
      return false;
    } finally {
      // Not by its parent: the move has ended, and the object may have been retired since.
      if (!installed) {
        memory.free(target);
      }
    }
  }

  /** Whether leaving the fast device means a copy. */
  static boolean needsCopy(MemObject object) {
    return object.unlinked() || object.dirty();
  }

  /**
   * Takes an object from the fast device, copying only what the slow one does not hold.
   *
   * @return bytes copied
   */
  long demote(MemObject object) throws InterruptedException {
    try (Move move = memory.move(object)) {
      Region from = move.primary();
      if (!from.in(fast)) {
        return 0;
      }
      long copied = 0;
      Region to = move.linked(slow).orElse(null);
      if (to == null) {
        linkTwin(move, object);
        to = move.linked(slow).orElseThrow();
        copied = object.bytes();
      } else if (object.dirty()) {
        move.copyTo(to);
        copied = object.bytes();
      }
      move.setPrimary(to);
      move.drop(from);
      counts.evictions++;
      counts.cleanEvictions += copied == 0 ? 1 : 0;
      counts.writtenBackBytes += copied;
      return copied;
    }
  }

  private void linkTwin(Move move, MemObject object) throws InterruptedException {
    Region twin =
        memory.allocate(slow, object.bytes()).orElseThrow(() -> memory.full(slow, object.bytes()));
    try {
      move.copyTo(twin);
      move.link(twin);
    } finally {
      if (twin.parent() == null) {
        memory.free(twin);
      }
    }
  }

  /** Frees an object's regions; counts what a cache would have written back. */
  boolean retire(MemObject object) throws InterruptedException {
    boolean unwritten = object.in(fast) && needsCopy(object);
    boolean retired = memory.retire(object);
    if (retired && unwritten) {
      counts.avoidedWriteBackBytes += object.bytes();
    }
    return retired;
  }
}
