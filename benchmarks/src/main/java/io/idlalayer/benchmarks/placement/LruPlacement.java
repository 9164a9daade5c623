package io.idlalayer.benchmarks.placement;

import io.idlalayer.middleware.memory.device.DeviceKind;
import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.placement.api.Action;
import io.idlalayer.middleware.placement.api.AllocationRequest;
import io.idlalayer.middleware.placement.api.Hint;
import io.idlalayer.middleware.placement.api.KernelEvent;
import io.idlalayer.middleware.placement.api.MemoryView;
import io.idlalayer.middleware.placement.api.Outcome;
import io.idlalayer.middleware.placement.api.Placement;
import io.idlalayer.middleware.placement.api.PlacementPolicy;
import io.idlalayer.middleware.placement.api.PolicyStats;
import io.idlalayer.middleware.placement.api.Reason;
import io.idlalayer.middleware.placement.api.Room;
import io.idlalayer.middleware.placement.policies.UseOrder;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The CachedArrays policy (Hildebrand 2022, chapter 4, with its listings corrected). Objects on the
 * fast device are ordered by their last use, softly evicted ones before the others. Space comes
 * from a span around the first object in this order that has one.
 */
public final class LruPlacement implements PlacementPolicy {
  /** Above this share of scattered free bytes, free space is put together. */
  private static final double FRAGMENTED = 0.25;

  /** The modes of the source, by its letters. */
  public enum Mode {
    /** A new object starts on the slow device; a collection finds retired objects. */
    NONE(false, false, false),
    /** Local allocation: a new object is made on the fast device, without a slow twin. */
    L(true, false, false),
    /** Memory optimisations: retired objects are freed at once. */
    LM(true, true, false),
    /** Prefetching: arguments of kernels are fetched, and displace others. */
    LMP(true, true, true);

    private final boolean local;
    private final boolean eager;
    private final boolean prefetching;

    Mode(boolean local, boolean eager, boolean prefetching) {
      this.local = local;
      this.eager = eager;
      this.prefetching = prefetching;
    }
  }

  private final String name;
  private final Mode mode;
  private final UseOrder order = new UseOrder();
  private final @Nullable DeferredRetirement retirement;
  private long pressureBefore;

  /** A policy in a mode. */
  public LruPlacement(String name, Mode mode) {
    this.name = name;
    this.mode = mode;
    retirement = mode.eager ? null : new DeferredRetirement();
  }

  @Override
  public String name() {
    return name;
  }

  /** Space for an object: free space, or that of the first objects to leave. */
  private Room room(long bytes, MemoryView view) {
    return view.hasFastSpace(bytes) ? Room.FREE : victims(view);
  }

  /** Free space, or that of the first objects to leave. */
  Room victims(MemoryView view) {
    return Room.around(order.firstToLeave(view));
  }

  @Override
  public Placement place(AllocationRequest request, MemoryView view) {
    if (request.hint() == Hint.SLOW || !mode.local) {
      return Placement.of(Placement.SLOW);
    }
    return Placement.of(
        new Placement.Place(DeviceKind.FAST, room(request.bytes(), view)), Placement.SLOW);
  }

  @Override
  public List<Action> makeSpace(AllocationRequest request, MemoryView view) {
    return collect();
  }

  private List<Action> collect() {
    if (retirement == null) {
      return List.of();
    }
    List<Action> releases = retirement.collect();
    forget(releases);
    return releases;
  }

  private void forget(List<Action> releases) {
    for (Action action : releases) {
      if (action instanceof Action.Release release) {
        order.remove(release.object());
      }
    }
  }

  @Override
  public List<Action> placed(
      MemObject object, AllocationRequest request, @Nullable KernelEvent kernel, MemoryView view) {
    if (view.inFast(object)) {
      order.use(object);
    } else if (!mode.local && request.hint() != Hint.SLOW) {
      return List.of(
          new Action.Fetch(
              object,
              room(object.bytes(), view),
              false,
              Reason.COMPULSORY_MISS,
              view.times().copyIn(object.bytes())));
    }
    return List.of();
  }

  @Override
  public List<Action> before(KernelEvent kernel, MemoryView view) {
    List<MemObject> missing = new ArrayList<>();
    for (MemObject object : kernel.arguments()) {
      boolean fast = view.inFast(object);
      if (fast || mode.prefetching) {
        // Also an object that is fetched now, which is then in the order of its use.
        order.use(object);
      }
      if (!fast) {
        missing.add(object);
      }
    }
    if (!mode.prefetching || missing.isEmpty()) {
      return List.of();
    }
    Room room = victims(view);
    List<Action> fetches = new ArrayList<>();
    for (MemObject object : missing) {
      fetches.add(
          new Action.Fetch(
              object, room, false, Reason.ARGUMENT, view.times().copyIn(object.bytes())));
    }
    return fetches;
  }

  @Override
  public List<Action> done(Outcome outcome, MemoryView view) {
    if (outcome.action() instanceof Action.Fetch fetch) {
      if (!outcome.succeeded()) {
        order.remove(fetch.object());
      } else if (fetch.reason() != Reason.ARGUMENT) {
        order.use(fetch.object());
      }
    }
    return List.of();
  }

  @Override
  public void softEvicted(MemObject object, MemoryView view) {
    order.soften(object);
  }

  @Override
  public List<Action> released(MemObject object, MemoryView view) {
    if (retirement == null) {
      order.remove(object);
      return PlacementPolicy.super.released(object, view);
    }
    List<Action> releases = retirement.add(object, view);
    forget(releases);
    return releases;
  }

  /**
   * Collects retired objects. Defragments the fast device if its free space is scattered and an
   * object had to leave in this step or found no space.
   */
  @Override
  public List<Action> endOfStep(MemoryView view) {
    List<Action> actions = new ArrayList<>(collect());
    PolicyStats counts = view.counts();
    long pressure = counts.forcedEvictions() + counts.fallbacks();
    if (pressure > pressureBefore && view.fast().fragmentation() > FRAGMENTED) {
      long bytes = view.fast().occupiedBytes();
      actions.add(new Action.Compact(Reason.FRAGMENTED, view.times().copyWithin(bytes)));
    }
    pressureBefore = pressure;
    return actions;
  }
}
