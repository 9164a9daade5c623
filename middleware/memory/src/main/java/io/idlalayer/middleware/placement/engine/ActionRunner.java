package io.idlalayer.middleware.placement.engine;

import io.idlalayer.middleware.memory.device.DeviceFailureException;
import io.idlalayer.middleware.memory.device.DeviceFullException;
import io.idlalayer.middleware.memory.device.DeviceId;
import io.idlalayer.middleware.memory.device.DeviceKind;
import io.idlalayer.middleware.memory.device.DeviceUse;
import io.idlalayer.middleware.memory.object.AbortedEvictionException;
import io.idlalayer.middleware.memory.object.EvictionCallback;
import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.memory.object.Move;
import io.idlalayer.middleware.memory.object.PinnedException;
import io.idlalayer.middleware.memory.object.Region;
import io.idlalayer.middleware.memory.object.RegionState;
import io.idlalayer.middleware.memory.object.TieredMemory;
import io.idlalayer.middleware.placement.api.Action;
import io.idlalayer.middleware.placement.api.Outcome.Result;
import io.idlalayer.middleware.placement.api.Placement;
import io.idlalayer.middleware.placement.api.Reason;
import io.idlalayer.middleware.placement.api.Room;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Carries out a policy's actions: moves whole objects between the fast and the slow device; a
 * failed move leaves the object where it was. Guarded by the engine's lock.
 */
final class ActionRunner {
  /** Most attempts to empty a span; an attempt fails when an object of the span is in use. */
  private static final int ATTEMPTS = 3;

  private final TieredMemory memory;
  private final DeviceId fast;
  private final DeviceId slow;
  private final PlacementMeter meter;
  private final BackgroundCopies copies;
  private final LateArguments late;

  /** Retired objects whose regions are not freed yet. */
  private final Set<MemObject> retired = new HashSet<>();

  /** Arguments of the kernel that is being prepared, which must not be evicted for one another. */
  private final Set<MemObject> staying = new HashSet<>();

  /** The objects that may be evicted for the present request; null if any may. */
  private @Nullable Set<MemObject> victims;

  private final EvictionCallback eviction =
      new EvictionCallback() {
        @Override
        public void evict(Region region) throws InterruptedException {
          MemObject object = region.parent();
          if (object != null) {
            demote(object);
            meter.forced();
          }
        }

        @Override
        public boolean mayEvict(Region region) {
          MemObject object = region.parent();
          Set<MemObject> named = victims;
          return object == null
              || (!staying.contains(object)
                  && !copies.contains(object)
                  && (named == null || named.contains(object)));
        }
      };

  ActionRunner(
      TieredMemory memory,
      PolicyEnvironment devices,
      PlacementMeter meter,
      BackgroundCopies copies,
      LateArguments late) {
    this.memory = memory;
    this.meter = meter;
    this.copies = copies;
    this.late = late;
    fast = devices.fast();
    slow = devices.slow();
  }

  /** Returns whether an object must be copied to the slow device before it leaves the fast one. */
  static boolean needsWriteBack(MemObject object) {
    return object.unlinked() || object.dirty();
  }

  /** Keeps these objects from leaving the fast device until {@link #release}. */
  void hold(Collection<MemObject> arguments) {
    staying.addAll(arguments);
  }

  void release() {
    staying.clear();
  }

  /** Records that the owner of an object has retired it. Returns false if that was done before. */
  boolean giveUp(MemObject object) {
    return !object.retired() && retired.add(object);
  }

  /** Undoes {@link #giveUp} for an object whose retirement failed. */
  void takeBack(MemObject object) {
    retired.remove(object);
  }

  /** Carries out an action and returns how it ended. */
  Result run(Action action) throws InterruptedException {
    if (action instanceof Action.Fetch fetch) {
      return fetch(fetch);
    }
    if (action instanceof Action.Evict evict) {
      return evict(evict.object());
    }
    if (action instanceof Action.WriteBack ahead) {
      return copies.writeBack(ahead) ? Result.DONE : Result.BUSY;
    }
    if (action instanceof Action.UseInPlace use) {
      return late.useInPlace(use.object()) ? Result.DONE : Result.BUSY;
    }
    if (action instanceof Action.Release release) {
      retire(release);
    } else if (action instanceof Action.Compact) {
      memory.defragment(fast);
    }
    return Result.DONE;
  }

  private Result fetch(Action.Fetch fetch) throws InterruptedException {
    MemObject object = fetch.object();
    copies.finish(object);
    if (object.retired() || object.in(fast)) {
      return Result.DONE;
    }
    Region target = fastRegion(object.bytes(), fetch.room());
    if (target == null) {
      if (fetch.reason() == Reason.COMPULSORY_MISS) {
        meter.fellBack();
      }
      return Result.NO_SPACE;
    }
    boolean done = fetch.ahead() ? copies.fetch(fetch, target) : promote(object, target);
    return done ? Result.DONE : Result.BUSY;
  }

  private Result evict(MemObject object) throws InterruptedException {
    try {
      if (!object.retired()) {
        demote(object);
      }
      return Result.DONE;
    } catch (PinnedException e) {
      return Result.BUSY;
    } catch (DeviceFullException e) {
      return Result.NO_SPACE;
    }
  }

  /**
   * Allocates an object in the first place of a placement that has space. Returns null if none has.
   */
  @Nullable MemObject make(long bytes, Placement placement) throws InterruptedException {
    for (Placement.Place place : placement.places()) {
      boolean wantedFast = place.device() == DeviceKind.FAST;
      Region region = wantedFast ? fastRegion(bytes, place.room()) : slowRegion(bytes);
      if (region != null) {
        boolean fellBack = placement.places().get(0).device() == DeviceKind.FAST && !wantedFast;
        if (fellBack) {
          meter.fellBack();
        }
        return memory.adopt(region, bytes);
      }
    }
    return null;
  }

  private @Nullable Region slowRegion(long bytes) {
    return (memory.accessible(slow)
            ? memory.allocateDirect(slow, bytes)
            : memory.allocate(slow, bytes))
        .orElse(null);
  }

  /** Returns the exception for an allocation for which no place of the placement had space. */
  DeviceFullException full(long bytes, Placement placement) {
    List<Placement.Place> places = placement.places();
    boolean onFast = places.get(places.size() - 1).device() == DeviceKind.FAST;
    return memory.full(onFast ? fast : slow, bytes);
  }

  private @Nullable Region fastRegion(long bytes, Room room) throws InterruptedException {
    Region there = room.hasOffset() ? regionAt(bytes, room.offset()) : null;
    if (there != null) {
      return there;
    }
    Region region = freeRegion(bytes, room.end());
    for (int i = 0; region == null && room.evicts() && i < ATTEMPTS && makeRoom(bytes, room); i++) {
      region = freeRegion(bytes, room.end());
    }
    return region;
  }

  /** Returns a region at an offset, from which others are evicted; null if they cannot leave. */
  private @Nullable Region regionAt(long bytes, long offset) throws InterruptedException {
    Region region = memory.allocateAt(fast, offset, bytes).orElse(null);
    victims = null;
    for (int i = 0; region == null && i < ATTEMPTS; i++) {
      try {
        if (!settleAt(bytes, offset) || !memory.evictAt(fast, offset, bytes, eviction)) {
          return null;
        }
      } catch (AbortedEvictionException e) {
        rethrowFailure(e);
      }
      region = memory.allocateAt(fast, offset, bytes).orElse(null);
    }
    return region;
  }

  /**
   * Waits for the copies of what lies in a range. Returns false, without a wait, if an object there
   * cannot leave, or if the budget is too small even when all of them have left.
   */
  private boolean settleAt(long bytes, long offset) throws InterruptedException {
    List<Region> there = memory.regionsAt(fast, offset, bytes);
    List<MemObject> copied = new ArrayList<>();
    long leavingBytes = 0;
    for (Region region : there) {
      if (region.state() == RegionState.FREE) {
        continue;
      }
      leavingBytes += region.bytes();
      MemObject parent = region.parent();
      MemObject object = parent == null ? copies.copiedTo(region) : parent;
      if (object == null || object.pinned() || staying.contains(object)) {
        return false;
      }
      if (copies.contains(object)) {
        copied.add(object);
      } else if (!region.evictable()) {
        return false;
      }
    }
    DeviceUse use = memory.use(fast);
    long left = use.budgetBytes() - (use.occupiedBytes() - leavingBytes);
    if (there.isEmpty() || use.spec().alignedBytes(bytes) > left) {
      return false;
    }
    for (MemObject object : copied) {
      copies.finish(object);
    }
    return true;
  }

  private static void rethrowFailure(AbortedEvictionException aborted) {
    if (aborted.getCause() instanceof DeviceFailureException failure) {
      throw failure;
    }
  }

  private @Nullable Region freeRegion(long bytes, Room.End end) {
    return (end == Room.End.HIGH ? memory.allocateAtEnd(fast, bytes) : memory.allocate(fast, bytes))
        .orElse(null);
  }

  /**
   * Evicts objects, around those that a room names, until some bytes fit on the fast device.
   * Returns false if they cannot.
   */
  private boolean makeRoom(long bytes, Room room) throws InterruptedException {
    victims = room.only() ? Set.copyOf(room.around()) : null;
    try {
      memory.evictFrom(fast, starts(room), bytes, eviction);
      return true;
    } catch (DeviceFullException e) {
      // Copies under way end first, because an object that is being copied cannot move.
      return copies.finishAll();
    } catch (AbortedEvictionException e) {
      rethrowFailure(e);
      return true;
    }
  }

  private List<Region> starts(Room room) {
    List<Region> starts = new ArrayList<>();
    for (MemObject object : room.around()) {
      Region region = object.where();
      if (region != null && region.in(fast)) {
        starts.add(region);
      }
    }
    return starts;
  }

  /**
   * Copies an object to a region in flight on the fast device and makes that region its primary.
   * The region is freed if that fails, or if the object is fast already.
   *
   * @return false if the object must not move now
   */
  private boolean promote(MemObject object, Region target) throws InterruptedException {
    boolean installed = false;
    try (Move move = memory.move(object)) {
      if (move.primary().in(fast)) {
        return true;
      }
      move.copyTo(target);
      move.install(target);
      installed = true;
      meter.fetched();
      return true;
    } catch (PinnedException e) {
      return false;
    } finally {
      // The region's parent does not tell: the move has ended, and the object may have been retired
      // since.
      if (!installed) {
        memory.free(target);
      }
    }
  }

  /**
   * Removes an object from the fast device, after its bytes were copied to the slow one where that
   * lacks them.
   */
  private void demote(MemObject object) throws InterruptedException {
    copies.finish(object);
    try (Move move = memory.move(object)) {
      Region from = move.primary();
      if (!from.in(fast)) {
        return;
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
      meter.evicted(copied, retired.contains(object));
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

  /**
   * Frees the regions of a retired object. If a collection has found it, no write-back was avoided.
   */
  private void retire(Action.Release release) throws InterruptedException {
    MemObject object = release.object();
    copies.finish(object);
    boolean unwritten =
        release.reason() == Reason.RETIRED && object.in(fast) && needsWriteBack(object);
    if (memory.retire(object) && unwritten) {
      meter.discarded(object.bytes());
    }
    retired.remove(object);
  }
}
