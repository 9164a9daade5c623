package io.idlalayer.middleware.placement.engine;

import io.idlalayer.middleware.memory.device.DeviceFullException;
import io.idlalayer.middleware.memory.device.DeviceId;
import io.idlalayer.middleware.memory.device.DeviceKind;
import io.idlalayer.middleware.memory.device.DeviceUse;
import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.memory.object.PinnedException;
import io.idlalayer.middleware.memory.object.Region;
import io.idlalayer.middleware.memory.object.RegionState;
import io.idlalayer.middleware.memory.object.TieredMemory;
import io.idlalayer.middleware.placement.api.Action;
import io.idlalayer.middleware.placement.api.KernelEvent;
import io.idlalayer.middleware.placement.api.MemoryView;
import io.idlalayer.middleware.placement.api.Outcome.Result;
import io.idlalayer.middleware.placement.api.Placement;
import io.idlalayer.middleware.placement.api.Reason;
import io.idlalayer.middleware.placement.api.Room;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Stages arguments of kernels: if kernels cannot access the slow device, the engine copies the
 * arguments that the policy left there to the fast device before a kernel, and back after it. Other
 * objects leave the fast device for them, the one whose next use is the farthest first. Guarded by
 * the engine's lock.
 */
final class Staging {
  private final TieredMemory memory;
  private final DeviceId fast;
  private final boolean needed;
  private final ActionRunner runner;
  private final BackgroundCopies copies;
  private final PlacementMeter meter;
  private final MemoryView view;

  Staging(
      TieredMemory memory,
      PolicyEnvironment devices,
      ActionRunner runner,
      BackgroundCopies copies,
      PlacementMeter meter,
      MemoryView view) {
    this.memory = memory;
    this.runner = runner;
    this.copies = copies;
    this.meter = meter;
    this.view = view;
    fast = devices.fast();
    needed = !memory.accessible(devices.slow());
  }

  /** Returns whether kernels cannot access the slow device, so that arguments must be staged. */
  boolean needed() {
    return needed;
  }

  /** Returns whether an argument of a kernel is on the slow device. */
  boolean anySlow(KernelEvent event) {
    return event.arguments().stream().anyMatch(object -> !object.in(fast));
  }

  /**
   * Copies the slow ones of a kernel's arguments to the fast device, and makes room for the objects
   * that the kernel creates. The caller holds all arguments, so that they do not leave for one
   * another.
   *
   * @param created sizes of the objects that the kernel creates, as far as they are known
   * @param staged gets the objects that were copied, which leave after the kernel
   * @throws DeviceFullException if the arguments do not fit the fast device together
   * @throws PinnedException if a kernel within which this one runs, or a caller of the memory
   *     itself, keeps an argument on the slow device
   */
  void stage(Collection<MemObject> arguments, List<Long> created, Set<MemObject> staged)
      throws InterruptedException {
    List<MemObject> slow = arguments.stream().filter(object -> !object.in(fast)).toList();
    if (bring(arguments) != null || !fit(created, arguments)) {
      clear(arguments);
      if (bring(arguments) != null || !fit(created, arguments)) {
        // Gaps between them remained, which are smaller than the arguments behind them.
        leave(arguments);
        MemObject lacking = bring(arguments);
        if (lacking != null) {
          throw memory.full(fast, lacking.bytes());
        }
      }
    }
    staged.addAll(slow);
  }

  /**
   * Makes room for the buffers through which the slow arguments of a kernel pass. If the fast
   * arguments leave none, the largest of them become slow as well.
   *
   * @param bufferBytes size of all buffers together
   */
  void makeRoomForBuffers(Collection<MemObject> arguments, long bufferBytes)
      throws InterruptedException {
    List<MemObject> near = new ArrayList<>();
    long bytes = 0;
    for (MemObject object : arguments) {
      if (object.in(fast)) {
        near.add(object);
        bytes += object.primary().bytes();
      }
    }
    near.sort(Comparator.comparingLong(MemObject::bytes));
    long room = memory.use(fast).budgetBytes() - bufferBytes;
    while (bytes > room && !near.isEmpty()) {
      MemObject largest = near.remove(near.size() - 1);
      long largestBytes = largest.primary().bytes();
      leave(List.of(largest));
      bytes -= largest.in(fast) ? 0 : largestBytes;
    }
    if (!fit(List.of(bufferBytes), arguments)) {
      clear(arguments);
      if (!fit(List.of(bufferBytes), arguments)) {
        leave(arguments);
      }
    }
  }

  /** Copies slow arguments to the fast device. Returns the first that lacks space; null if none. */
  private @Nullable MemObject bring(Collection<MemObject> arguments) throws InterruptedException {
    for (MemObject object : arguments) {
      Result result = object.in(fast) ? Result.DONE : fetch(object);
      if (result == Result.NO_SPACE) {
        return object;
      }
      if (result == Result.BUSY) {
        throw new PinnedException(
            object + " is in use where kernels cannot access it, so it cannot be staged");
      }
    }
    return null;
  }

  private Result fetch(MemObject object) throws InterruptedException {
    long nanos = view.times().copyIn(object.bytes());
    return counted(new Action.Fetch(object, around(), false, Reason.STAGED, nanos));
  }

  private Result counted(Action action) throws InterruptedException {
    long start = memory.clock().nanos();
    Result result = runner.run(action);
    if (result == Result.DONE) {
      meter.acted(action, memory.clock().nanos() - start);
    } else {
      meter.refused(action);
    }
    return result;
  }

  /** Has all other objects leave the fast device, and moves the arguments together. */
  private void clear(Collection<MemObject> arguments) throws InterruptedException {
    copies.finishAll();
    for (MemObject object : farthest()) {
      if (!arguments.contains(object)) {
        leave(List.of(object));
      }
    }
    runner.run(new Action.Compact(Reason.FRAGMENTED, 0));
  }

  private Room around() {
    return Room.around(farthest());
  }

  /** Returns the objects on the fast device, the one whose next use is the farthest first. */
  private List<MemObject> farthest() {
    List<MemObject> objects = new ArrayList<>();
    for (Region region : memory.regions(fast)) {
      MemObject object = region.parent();
      if (object != null && region.evictable()) {
        objects.add(object);
      }
    }
    objects.sort(Comparator.comparingLong(this::distance).reversed());
    return objects;
  }

  /** Returns the kernels until the next use of an object; one of which nothing is known is far. */
  private long distance(MemObject object) {
    long next = view.nextUse(object);
    return next == MemoryView.UNKNOWN ? MemoryView.NEVER - 1 : next;
  }

  /**
   * Returns whether objects of some sizes fit the fast device beside the arguments of a kernel,
   * when others leave.
   */
  private boolean fit(List<Long> sizes, Collection<MemObject> arguments) {
    if (sizes.isEmpty()) {
      return true;
    }
    DeviceUse use = memory.use(fast);
    List<Long> gaps = new ArrayList<>();
    long piece = memory.pieceBytes(fast);
    long left = use.budgetBytes();
    long end = 0;
    long gap = 0;
    for (Region region : memory.regions(fast)) {
      boolean adjacent = region.offset() == end && region.offset() % piece != 0;
      MemObject object = region.parent();
      boolean open = region.evictable() && (object == null || !arguments.contains(object));
      if (!adjacent || !open) {
        gaps.add(gap);
        gap = 0;
      }
      gap += open ? region.bytes() : 0;
      left -= open || region.state() == RegionState.FREE ? 0 : region.bytes();
      end = region.offset() + region.bytes();
    }
    gaps.add(gap);
    for (long size : sizes) {
      long bytes = use.spec().alignedBytes(size);
      int best = -1;
      for (int i = 0; i < gaps.size(); i++) {
        if (gaps.get(i) >= bytes && (best < 0 || gaps.get(i) < gaps.get(best))) {
          best = i;
        }
      }
      left -= bytes;
      if (best < 0 || left < 0) {
        return false;
      }
      gaps.set(best, gaps.get(best) - bytes);
    }
    return true;
  }

  /**
   * Allocates an object that a running kernel writes, in the first place of a placement that has
   * space. In place of the slow device, it gets space on the fast one.
   *
   * @param staged gets the object if it leaves after the kernel
   * @return null if no place has space
   */
  @Nullable MemObject make(long bytes, Placement placement, Set<MemObject> staged)
      throws InterruptedException {
    for (Placement.Place place : placement.places()) {
      boolean wantedFast = place.device() == DeviceKind.FAST;
      MemObject made =
          runner.make(
              bytes,
              Placement.of(wantedFast ? place : new Placement.Place(DeviceKind.FAST, around())));
      if (made != null) {
        if (!wantedFast) {
          staged.add(made);
        }
        return made;
      }
    }
    return null;
  }

  /** Has objects leave the fast device; those in use stay. */
  void leave(Collection<MemObject> objects) throws InterruptedException {
    for (MemObject object : objects) {
      if (!object.retired() && object.in(fast)) {
        long nanos = view.needsWriteBack(object) ? view.times().copyOut(object.bytes()) : 0;
        counted(new Action.Evict(object, Reason.STAGED, nanos));
      }
    }
  }
}
