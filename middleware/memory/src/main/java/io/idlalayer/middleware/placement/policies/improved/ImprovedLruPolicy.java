package io.idlalayer.middleware.placement.policies.improved;

import io.idlalayer.middleware.memory.DeviceKind;
import io.idlalayer.middleware.memory.MemObject;
import io.idlalayer.middleware.placement.api.Action;
import io.idlalayer.middleware.placement.api.AllocationRequest;
import io.idlalayer.middleware.placement.api.Hint;
import io.idlalayer.middleware.placement.api.KernelEvent;
import io.idlalayer.middleware.placement.api.KernelSite;
import io.idlalayer.middleware.placement.api.MemoryView;
import io.idlalayer.middleware.placement.api.Outcome;
import io.idlalayer.middleware.placement.api.Placement;
import io.idlalayer.middleware.placement.api.PlacementPolicy;
import io.idlalayer.middleware.placement.api.Reason;
import io.idlalayer.middleware.placement.api.Room;
import io.idlalayer.middleware.placement.policies.UseOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The improved CachedArrays policy: new objects are made on the fast device and freed when they are
 * given up, and what leaves for others is what was used least recently. Arguments of kernels are
 * fetched into space that is free, objects that will not be used for long are written back while
 * kernels run, read-only arguments leave for outputs, and divisible kernels take what is slow
 * through buffers.
 *
 * <p>Source: Hildebrand 2022, chapter 4, whose modes are {@code LruPolicy}; writing ahead and
 * output space are ours.
 */
public final class ImprovedLruPolicy implements PlacementPolicy {
  /** One part in so many of the fast device is large. */
  private static final long LARGE_SHARE = 8;

  /** A kernel in every step. */
  private record Kernel(String name, int index) {
    static Kernel of(KernelEvent event) {
      return new Kernel(event.name(), event.index());
    }
  }

  /** A kernel from its preparation to its end. */
  private static final class Run {
    private long createdBytes;
    private long largestBytes;

    void created(long bytes) {
      createdBytes += bytes;
      largestBytes = Math.max(largestBytes, bytes);
    }

    OutputSpace.Expected seen(long nanos) {
      return new OutputSpace.Expected(nanos, createdBytes, largestBytes);
    }
  }

  private final String name;
  private final UseOrder order = new UseOrder();
  private final WriteAhead ahead = new WriteAhead();
  private final IdentityHashMap<KernelSite, Run> running = new IdentityHashMap<>();

  /** What kernels took and created in the step before. */
  private final Map<Kernel, OutputSpace.Expected> last = new HashMap<>();

  /** A policy that knows nothing yet. */
  public ImprovedLruPolicy(String name) {
    this.name = name;
  }

  @Override
  public String name() {
    return name;
  }

  /** Large objects at one end, small ones at the other: what is pinned in between divides room. */
  private static Room.End end(long bytes, MemoryView view) {
    boolean large = bytes >= view.fast().budgetBytes() / LARGE_SHARE;
    return large ? Room.End.HIGH : Room.End.LOW;
  }

  @Override
  public Placement place(AllocationRequest request, MemoryView view) {
    if (request.hint() == Hint.SLOW) {
      return Placement.of(Placement.SLOW);
    }
    List<MemObject> victims =
        view.hasFastSpace(request.bytes()) ? List.of() : order.firstToLeave(view);
    Room room = new Room(end(request.bytes(), view), victims);
    return Placement.of(new Placement.Place(DeviceKind.FAST, room), Placement.SLOW);
  }

  private static Room free(long bytes, MemoryView view) {
    return new Room(end(bytes, view), List.of());
  }

  @Override
  public List<Action> placed(
      MemObject object, AllocationRequest request, @Nullable KernelEvent kernel, MemoryView view) {
    if (view.inFast(object)) {
      order.use(object);
    }
    Run run = kernel == null ? null : running.get(kernel.site());
    if (run != null) {
      run.created(object.bytes());
    }
    return List.of();
  }

  @Override
  public List<Action> before(KernelEvent kernel, MemoryView view) {
    Run run = new Run();
    running.put(kernel.site(), run);
    for (MemObject object : kernel.arguments()) {
      order.use(object);
    }
    FastLayout layout = new FastLayout(view);
    List<Action> actions =
        kernel.divisible() ? pieces(kernel, layout, view) : whole(kernel, layout, view);
    // What stays slow has no place in the order; what is fetched takes it up again.
    kernel.arguments().stream().filter(object -> !view.inFast(object)).forEach(order::remove);
    return actions;
  }

  /**
   * What fits is fetched as far as that leaves space for buffers, since one copy of the whole is
   * cheaper than one for each kernel; the rest goes through buffers.
   */
  private static List<Action> pieces(KernelEvent kernel, FastLayout layout, MemoryView view) {
    List<Action> actions = new ArrayList<>();
    long slowBytes = 0;
    for (MemObject object : kernel.arguments()) {
      if (layout.holds(object)) {
        continue;
      }
      long left = layout.largestFreeBytes() - object.bytes();
      if (left >= layout.budgetBytes() / Action.Stream.BUFFER_SHARE
          && layout.fits(object.bytes())) {
        actions.add(fetch(object, free(object.bytes(), view), view));
        layout.add(object, end(object.bytes(), view));
      } else {
        slowBytes += object.bytes();
      }
    }
    long nanos = view.times().copyIn(slowBytes);
    actions.add(new Action.Stream(kernel, Reason.STREAMED, slowBytes == 0 ? 0 : nanos));
    return actions;
  }

  private static Action.Fetch fetch(MemObject object, Room room, MemoryView view) {
    long nanos = view.times().copyIn(object.bytes());
    return new Action.Fetch(object, room, false, Reason.ARGUMENT, nanos);
  }

  private List<Action> whole(KernelEvent kernel, FastLayout layout, MemoryView view) {
    OutputSpace.Expected expected =
        last.getOrDefault(Kernel.of(kernel), OutputSpace.Expected.UNKNOWN);
    OutputSpace outputs = new OutputSpace(kernel, expected, layout, view);
    List<MemObject> fast = kernel.arguments().stream().filter(layout::holds).toList();
    List<Action> actions = new ArrayList<>(outputs.actions());
    for (MemObject object : kernel.arguments()) {
      // An argument that displaces others costs more to copy than to use once where it is.
      if (!fast.contains(object)
          && !layout.holds(object)
          && hasSpaceFor(object, expected, layout)) {
        actions.add(fetch(object, free(object.bytes(), view), view));
        layout.add(object, end(object.bytes(), view));
      }
    }
    return actions;
  }

  /** Whether an argument leaves enough free room for what the kernel is going to create. */
  private static boolean hasSpaceFor(
      MemObject object, OutputSpace.Expected expected, FastLayout layout) {
    long needed = object.bytes() + expected.createdBytes();
    return needed <= layout.budgetBytes() - layout.occupiedBytes()
        && needed <= layout.largestFreeBytes()
        && layout.fits(object.bytes());
  }

  @Override
  public List<Action> done(Outcome outcome, MemoryView view) {
    if (outcome.action() instanceof Action.Fetch fetch && outcome.succeeded()) {
      order.use(fetch.object());
    } else if (outcome.action() instanceof Action.Evict evict && outcome.succeeded()) {
      order.remove(evict.object());
    }
    return List.of();
  }

  @Override
  public List<Action> after(KernelEvent kernel, long nanos, MemoryView view) {
    Run run = running.remove(kernel.site());
    if (run != null) {
      last.put(Kernel.of(kernel), run.seen(nanos));
    }
    return ahead.after(nanos, order.firstToLeave(view), view);
  }

  @Override
  public void failed(KernelEvent kernel) {
    running.remove(kernel.site());
  }

  @Override
  public void softEvicted(MemObject object, MemoryView view) {
    order.soften(object);
  }

  @Override
  public List<Action> released(MemObject object, MemoryView view) {
    order.remove(object);
    return PlacementPolicy.super.released(object, view);
  }
}
