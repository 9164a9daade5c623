package io.idlalayer.middleware.placement.policies.improved;

import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.placement.api.Action;
import io.idlalayer.middleware.placement.api.FastBlock;
import io.idlalayer.middleware.placement.api.KernelEvent;
import io.idlalayer.middleware.placement.api.MemoryView;
import io.idlalayer.middleware.placement.api.Reason;
import io.idlalayer.middleware.placement.api.Room;
import io.idlalayer.middleware.placement.api.TransferTimes;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Decides which objects leave the fast device before a kernel, so that its outputs find space
 * there. The outputs cannot displace the kernel's arguments, which are in use by then, and stores
 * on the slow device take longer than loads.
 *
 * @param expected what the kernel does
 * @param layout before the kernel; changed by the decisions
 */
record OutputSpace(KernelEvent kernel, Expected expected, FastLayout layout, MemoryView view) {
  /**
   * The expected time and allocations of a kernel.
   *
   * @param nanos time that it takes
   * @param createdBytes total size of the objects that it creates
   * @param largestBytes size of the largest of these objects
   */
  record Expected(long nanos, long createdBytes, long largestBytes) {
    static final Expected UNKNOWN = new Expected(0, 0, 0);
  }

  /**
   * Returns the bytes by which the kernel's fast arguments and its outputs together exceed the fast
   * device's budget.
   */
  long missingBytes(long createdBytes) {
    long held = 0;
    for (MemObject object : kernel.arguments()) {
      held += layout.holds(object) ? object.bytes() : 0;
    }
    return held + createdBytes - layout.budgetBytes();
  }

  /**
   * Returns the evictions that make room for the kernel's outputs. Arguments that are only read
   * leave if the outputs do not fit beside them, and other objects leave so that the largest output
   * finds contiguous space; an object leaves only if that saves time.
   */
  List<Action> actions() {
    LeavingCost cost = new LeavingCost(view);
    List<Action> actions = new ArrayList<>();
    evict(leaving(cost), cost, actions);
    boolean fits = expected.largestBytes() == 0 || layout.fits(expected.largestBytes());
    if (!fits && missingBytes(expected.createdBytes()) <= 0) {
      makeRoom(cost, actions);
    }
    return actions;
  }

  private void evict(Collection<MemObject> objects, LeavingCost cost, List<Action> actions) {
    for (MemObject object : objects) {
      actions.add(new Action.Evict(object, Reason.OUTPUT_SPACE, cost.copy(object)));
      layout.evict(object);
    }
  }

  /**
   * Evicts the objects of the cheapest span for the largest output. If arguments leave no span,
   * evicts enough objects wherever they lie and defragments.
   */
  private void makeRoom(LeavingCost cost, List<Action> actions) {
    long needed = view.fast().spec().alignedBytes(expected.largestBytes());
    double gain = cost.times().inPlace(expected.nanos(), 0, expected.largestBytes());
    VictimWindow window = layout.cheapest(needed, this::mayLeave, cost::whole);
    if (window == null) {
      putTogether(scattered(needed, cost), gain, cost, actions);
      return;
    }
    List<MemObject> victims = layout.objects(window);
    if (victims.stream().mapToLong(cost::copy).sum() < gain) {
      evict(victims, cost, actions);
    }
  }

  private void putTogether(
      List<MemObject> victims, double gain, LeavingCost cost, List<Action> actions) {
    FastLayout trial = layout.copy();
    victims.forEach(trial::evict);
    long moved = cost.times().copyWithin(trial.occupiedBytes());
    trial.compact(kernel.arguments());
    // An object that is being copied does not move: the engine waits for the copies of victims when
    // they leave.
    List<MemObject> copying = kernel.arguments().stream().filter(view::copying).toList();
    long nanos =
        moved
            + victims.stream().mapToLong(cost::copy).sum()
            + copying.stream().mapToLong(cost::copy).sum();
    if (!trial.fits(expected.largestBytes()) || nanos >= gain) {
      return;
    }
    evict(victims, cost, actions);
    for (MemObject object : copying) {
      // It is fast already, so the engine only waits for its copy.
      actions.add(
          new Action.Fetch(object, Room.FREE, false, Reason.OUTPUT_SPACE, cost.copy(object)));
    }
    actions.add(new Action.Compact(Reason.OUTPUT_SPACE, moved));
    layout.compact(kernel.arguments());
  }

  /**
   * Returns whether a block is free, or its object may leave now or when its copy in the background
   * has ended.
   */
  private boolean mayLeave(FastBlock block) {
    MemObject object = block.object();
    return object == null
        ? block.open()
        : (block.open() || view.copying(object)) && !kernel.arguments().contains(object);
  }

  /**
   * Returns the objects to evict for a larger one, wherever they lie. First come those that are
   * being copied, which defragmentation could not move, then the cheapest for their size.
   */
  private List<MemObject> scattered(long neededBytes, LeavingCost cost) {
    List<MemObject> others = layout.objects(this::mayLeave);
    others.sort(
        Comparator.comparing((MemObject object) -> !view.copying(object))
            .thenComparingDouble(object -> cost.whole(object) / object.bytes()));
    List<MemObject> victims = new ArrayList<>();
    long free = layout.budgetBytes() - layout.occupiedBytes();
    for (MemObject object : others) {
      if (free >= neededBytes) {
        break;
      }
      victims.add(object);
      free += object.bytes();
    }
    return victims;
  }

  private Set<MemObject> leaving(LeavingCost cost) {
    long missing = missingBytes(expected.createdBytes());
    if (expected.createdBytes() == 0 || missing <= 0) {
      return Set.of();
    }
    Set<MemObject> leaving = new LinkedHashSet<>();
    long bytes = 0;
    double nanos = 0;
    for (MemObject object : kernel.reads()) {
      if (bytes < missing
          && layout.holds(object)
          && (view.movable(object) || view.copying(object))
          && !kernel.writes().contains(object)
          && leaving.add(object)) {
        bytes += object.bytes();
        nanos += cost.copy(object);
      }
    }
    TransferTimes times = cost.times();
    nanos += times.inPlace(expected.nanos(), bytes, 0);
    boolean pays = nanos < times.inPlace(expected.nanos(), 0, expected.createdBytes());
    return bytes >= missing && pays ? leaving : Set.of();
  }
}
