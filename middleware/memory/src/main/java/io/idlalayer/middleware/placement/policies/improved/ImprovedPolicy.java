package io.idlalayer.middleware.placement.policies.improved;

import io.idlalayer.middleware.memory.device.DeviceKind;
import io.idlalayer.middleware.memory.device.DeviceUse;
import io.idlalayer.middleware.memory.object.MemObject;
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
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.policies.UseOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The improved CachedArrays policy, which keeps what is used soon on the fast device. New objects
 * are made on the fast device and freed when they are retired; the least recently used objects
 * leave for others. Objects are written back while kernels run, long before they have to leave. The
 * largest object that a kernel creates gets its room before the kernel, where that costs least.
 * Arguments that are used again soon are fetched into free space, and slow arguments of divisible
 * kernels pass through buffers. If a step was not announced, only as much is written back as a
 * kernel hides.
 *
 * <p>Source: Hildebrand 2022, chapter 4. Writing ahead and output space are ours; the modes of the
 * source are in the benchmarks.
 */
public final class ImprovedPolicy implements PlacementPolicy {
  /** An object is large if its size is at least the fast device's budget divided by this number. */
  private static final long LARGE_SHARE = 8;

  /**
   * A slow argument that a kernel only reads is fetched if it is used again within fewer than this
   * number of kernels. Reading it once where it is overlaps with computing, and copying it does
   * not.
   */
  private static final long SOON_KERNELS = 8;

  /** The name and index of a kernel, equal in every step. */
  private record Kernel(String name, int index) {
    static Kernel of(KernelEvent event) {
      return new Kernel(event.name(), event.index());
    }
  }

  /** Sizes of the objects that a kernel has created since its preparation. */
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
  private final GapWriteAhead ahead = new GapWriteAhead();
  private final WriteAhead unknownAhead = new WriteAhead();
  private final IdentityHashMap<KernelSite, Run> running = new IdentityHashMap<>();

  /** Measured times and created bytes of each kernel in the step before. */
  private final Map<Kernel, OutputSpace.Expected> last = new HashMap<>();

  /** Creates a policy that has observed no kernel yet. */
  public ImprovedPolicy(String name) {
    this.name = name;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public void beginStep(TaskGraph graph, MemoryView view) {
    ahead.beginStep(graph);
  }

  @Override
  public boolean idleIfFast() {
    return true;
  }

  /**
   * Returns the end of the fast device at which an object is placed. Large objects go to one end
   * and small ones to the other, so that pinned objects do not divide the space between.
   */
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
    OutputSpace.Expected expected =
        last.getOrDefault(Kernel.of(kernel), OutputSpace.Expected.UNKNOWN);
    List<Action> actions =
        isReady(kernel, expected, view) ? List.of() : prepared(kernel, expected, view);
    // Objects that stay slow have no place in the order; a fetched object gets one again.
    kernel.arguments().stream().filter(object -> !view.inFast(object)).forEach(order::remove);
    return actions;
  }

  /**
   * Returns whether a kernel needs no action. Most need none, and to make a layout takes longer
   * than a short kernel.
   */
  private static boolean isReady(
      KernelEvent kernel, OutputSpace.Expected expected, MemoryView view) {
    List<MemObject> slow =
        kernel.arguments().stream().filter(object -> !view.inFast(object)).toList();
    if (kernel.divisible()) {
      return slow.isEmpty();
    }
    DeviceUse use = view.fast();
    long free = use.budgetBytes() - use.occupiedBytes();
    long created = expected.createdBytes();
    boolean fits = created == 0 || (created <= free && view.hasFastSpace(expected.largestBytes()));
    long most = Math.min(free, use.largestFreeBytes()) - created;
    return fits
        && slow.stream()
            .noneMatch(object -> object.bytes() <= most && isWorthFetching(object, kernel, view));
  }

  private static boolean isWorthFetching(MemObject object, KernelEvent kernel, MemoryView view) {
    return view.nextUse(object) < SOON_KERNELS || kernel.writes().contains(object);
  }

  private static List<Action> prepared(
      KernelEvent kernel, OutputSpace.Expected expected, MemoryView view) {
    return kernel.divisible()
        ? pieces(kernel, view)
        : whole(kernel, expected, new FastLayout(view), view);
  }

  /**
   * Returns fetches of slow arguments while enough space is left for buffers, because one copy of
   * the whole is cheaper than one for each kernel. The others pass through buffers.
   */
  private static List<Action> pieces(KernelEvent kernel, MemoryView view) {
    DeviceUse use = view.fast();
    List<Action> actions = new ArrayList<>();
    long slowBytes = 0;
    // Counts as if all of them took the largest free space: updates of small tensors are too short
    // to look at the whole device.
    long free = Math.min(use.largestFreeBytes(), use.budgetBytes() - use.occupiedBytes());
    for (MemObject object : kernel.arguments()) {
      long bytes = use.spec().alignedBytes(object.bytes());
      if (view.inFast(object)) {
        continue;
      }
      if (free - bytes >= use.budgetBytes() / Action.Stream.BUFFER_SHARE) {
        actions.add(fetch(object, free(object.bytes(), view), view));
        free -= bytes;
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

  private static List<Action> whole(
      KernelEvent kernel, OutputSpace.Expected expected, FastLayout layout, MemoryView view) {
    OutputSpace outputs = new OutputSpace(kernel, expected, layout, view);
    List<MemObject> fast = kernel.arguments().stream().filter(view::inFast).toList();
    List<Action> actions = new ArrayList<>(outputs.actions());
    for (MemObject object : kernel.arguments()) {
      // An argument that displaces others costs more to copy than to use once where it is.
      if (!fast.contains(object)
          && isWorthFetching(object, kernel, view)
          && hasSpaceFor(object, expected, layout)) {
        actions.add(fetch(object, free(object.bytes(), view), view));
        layout.add(object, end(object.bytes(), view));
      }
    }
    return actions;
  }

  /**
   * Returns whether the kernel's outputs still find enough free space after an argument was
   * fetched.
   */
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
    return view.stepKnown()
        ? ahead.after(kernel.index(), view)
        : unknownAhead.after(nanos, order.firstToLeave(view), view);
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
