package io.idlalayer.benchmarks.placement;

import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.placement.api.Action;
import io.idlalayer.middleware.placement.api.AllocationRequest;
import io.idlalayer.middleware.placement.api.KernelEvent;
import io.idlalayer.middleware.placement.api.MemoryView;
import io.idlalayer.middleware.placement.api.Placement;
import io.idlalayer.middleware.placement.api.PlacementPolicy;
import io.idlalayer.middleware.placement.api.Reason;
import io.idlalayer.middleware.placement.api.Room;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.policies.UseOrder;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Migration as an operating system does it, by recent use and without knowledge of the step: a new
 * object takes the first space that there is. At intervals, objects that were used lately and are
 * slow change places with those that were not. All copies are made in the background. A rival of
 * Rang 2021, there by pages and every five seconds; here by objects and a few times in a step,
 * because a page of an object is used with the others.
 */
public final class PageOrder implements PlacementPolicy {
  /** Intervals of a step that are best on most networks. */
  public static final int INTERVALS = 32;

  private final int intervals;
  private final UseOrder order = new UseOrder();
  private final Set<MemObject> lately = new LinkedHashSet<>();
  private int every = 64;
  private int passed;

  /**
   * @param intervals number of intervals of a step, at least 1
   */
  public PageOrder(int intervals) {
    this.intervals = intervals;
  }

  @Override
  public String name() {
    return "page-order";
  }

  @Override
  public void beginStep(TaskGraph graph, MemoryView view) {
    every = Math.max(1, graph.kernels().size() / intervals);
  }

  @Override
  public Placement place(AllocationRequest request, MemoryView view) {
    return Placement.of(Placement.FAST, Placement.SLOW);
  }

  @Override
  public List<Action> placed(
      MemObject object, AllocationRequest request, @Nullable KernelEvent kernel, MemoryView view) {
    order.use(object);
    lately.add(object);
    return List.of();
  }

  @Override
  public List<Action> before(KernelEvent kernel, MemoryView view) {
    for (MemObject object : kernel.arguments()) {
      order.use(object);
      lately.add(object);
    }
    return List.of();
  }

  @Override
  public List<Action> after(KernelEvent kernel, long nanos, MemoryView view) {
    if (++passed < every) {
      return List.of();
    }
    passed = 0;
    List<MemObject> cold =
        order.firstToLeave(view).stream().filter(object -> !lately.contains(object)).toList();
    List<Action> actions = new ArrayList<>();
    long space = view.fast().budgetBytes() - view.fast().occupiedBytes();
    long wanted = view.slowBytes(lately) - space;
    for (MemObject object : cold) {
      if (wanted <= 0) {
        break;
      }
      if (!view.movable(object) || view.copying(object)) {
        continue;
      }
      if (view.needsWriteBack(object)) {
        long out = view.times().copyOut(object.bytes());
        actions.add(new Action.WriteBack(object, Reason.WRITE_AHEAD, out));
      } else {
        actions.add(new Action.Evict(object, Reason.OFFLOAD, 0));
        space += object.bytes();
      }
      wanted -= object.bytes();
    }
    for (MemObject object : lately) {
      if (!view.inFast(object) && !view.copying(object) && object.bytes() <= space) {
        long in = view.times().copyIn(object.bytes());
        actions.add(new Action.Fetch(object, Room.FREE, true, Reason.PREFETCH, in));
        space -= object.bytes();
      }
    }
    lately.clear();
    return actions;
  }

  @Override
  public List<Action> released(MemObject object, MemoryView view) {
    order.remove(object);
    lately.remove(object);
    return PlacementPolicy.super.released(object, view);
  }
}
