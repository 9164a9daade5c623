package io.idlalayer.middleware.placement.policies.migrating;

import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.placement.api.Action;
import io.idlalayer.middleware.placement.api.FastBlock;
import io.idlalayer.middleware.placement.api.MemoryView;
import io.idlalayer.middleware.placement.api.Reason;
import io.idlalayer.middleware.placement.api.Room;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.api.TaskGraph.Kernel;
import io.idlalayer.middleware.placement.policies.improved.FastLayout;
import io.idlalayer.middleware.placement.policies.improved.VictimWindow;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Brings long-lived tensors to the fast device while the period before the one that uses them runs,
 * in the order of their uses. Space is taken from objects that are used later and whose bytes the
 * slow device has. The space that kernels need until then for objects that they create is left
 * free. A tensor is not brought if nothing would be gained, because it would arrive too late or
 * reading it slow takes no longer than the kernel. So when the device becomes slower, the decisions
 * change within the same step. One step at a time.
 */
final class Migration {
  /** Most fetches that are queued at a time; later ones would be decided on old speeds. */
  private static final int MOST_FETCHES = 8;

  private final StepProfile step;
  private final TaskGraph graph;
  private final StepTimes times;
  private final boolean byCost;
  private final int kernels;

  /** Tensors to bring, with the index of the kernel that uses them, in that order. */
  private final Map<Integer, Integer> pending = new LinkedHashMap<>();

  private Periods periods = new Periods(List.of(0));

  /** Index of the kernel that runs or runs next. */
  private int at;

  /**
   * @param byCost whether to leave tensors that gain nothing, and to take space only from objects
   *     that the slow device has; otherwise as in the source
   */
  Migration(StepProfile step, StepTimes times, boolean byCost) {
    this.step = step;
    this.times = times;
    this.byCost = byCost;
    graph = step.graph();
    kernels = graph.kernels().size();
  }

  /**
   * Begins a step. Tensors that the last step has decided to bring for the first period of this one
   * are still brought.
   */
  void begin(Periods next) {
    Map<Integer, Integer> rest = new LinkedHashMap<>();
    pending.forEach((tensor, use) -> rest.put(tensor, use - kernels));
    pending.clear();
    rest.forEach(
        (tensor, use) -> {
          if (use >= 0) {
            pending.put(tensor, use);
          }
        });
    periods = next;
    at = 0;
    plan(0);
  }

  /** Returns the number of kernels that this period and the next one have left. */
  long kernelsOfTwoPeriods() {
    int period = periods.of(at);
    int next = period + 1;
    int end =
        next < periods.count() ? periods.end(next, kernels) : kernels + periods.end(0, kernels);
    return (long) end - at;
  }

  /** Adds what the period after a given one uses. */
  private void plan(int period) {
    int next = (period + 1) % periods.count();
    int wrapped = period + 1 < periods.count() ? 0 : kernels;
    int from = periods.starts().get(next);
    int end = periods.end(next, kernels);
    for (int k = from; k < end; k++) {
      for (int tensor : graph.kernels().get(k).arguments()) {
        boolean exists = step.lasting(tensor) || (wrapped == 0 && step.users(tensor)[0] < from);
        if (exists && !step.shortLived(tensor)) {
          pending.putIfAbsent(tensor, k + wrapped);
        }
      }
    }
  }

  /** Returns the migrations to begin after a kernel. */
  List<Action> after(int kernel, MemoryView view) {
    int next = kernel + 1;
    at = Math.min(next, kernels - 1);
    int period = periods.of(kernel);
    if (next < kernels && periods.of(next) > period) {
      plan(periods.of(next));
    }
    pending.values().removeIf(use -> use <= next);
    if (pending.isEmpty()) {
      return List.of();
    }
    return new Choice(kernel, view).actions();
  }

  /** The decisions after one kernel. */
  private final class Choice {
    private final int kernel;
    private final MemoryView view;
    private final WaitOrUse late;
    private final List<Action> actions = new ArrayList<>();
    private long backlog;
    private int started;

    /** Bytes by which the kernels so far walked over raise what is on the fast device. */
    private long growth;

    private long mostGrowth;
    private int walked;

    Choice(int kernel, MemoryView view) {
      this.kernel = kernel;
      this.view = view;
      late = new WaitOrUse(view.times());
      backlog = view.fetchBacklogNanos();
      walked = kernel;
    }

    List<Action> actions() {
      FastLayout layout = null;
      for (Map.Entry<Integer, Integer> each : List.copyOf(pending.entrySet())) {
        int tensor = each.getKey();
        MemObject object = view.object(tensor);
        if (object == null || view.inFast(object) || view.copying(object)) {
          pending.remove(tensor);
          continue;
        }
        if (!view.movable(object)) {
          continue;
        }
        long nanos = view.times().copyIn(object.bytes());
        int use = each.getValue();
        if (byCost && gain(tensor, object.bytes(), use, backlog + nanos) <= 0) {
          pending.remove(tensor);
          continue;
        }
        layout = layout == null ? new FastLayout(view) : layout;
        if (!makeRoom(object, use, layout)) {
          break;
        }
        Room room = new Room(Room.End.HIGH, List.of());
        actions.add(new Action.Fetch(object, room, true, Reason.PREFETCH, nanos));
        layout.add(object, Room.End.HIGH);
        pending.remove(tensor);
        backlog += nanos;
        if (++started >= MOST_FETCHES) {
          break;
        }
      }
      return actions;
    }

    /**
     * Returns the nanoseconds that kernels save if a tensor is fast, less what the first of them
     * loses if the tensor comes too late.
     */
    private double gain(int tensor, long bytes, int use, long arrivesNanos) {
      double all = 0;
      double first = 0;
      int end = use - use % kernels + periods.end(periods.of(use % kernels), kernels);
      for (int k = use; k < end; k++) {
        Kernel user = graph.kernels().get(k % kernels);
        if (!user.uses(tensor)) {
          continue;
        }
        double saved = 0;
        if (user.reads().contains(tensor)) {
          saved += late.penaltyNanos(bytes, times.fastNanos(k));
        }
        if (user.writes().contains(tensor)) {
          saved += view.times().inPlace(0, 0, bytes);
        }
        first = k == use ? saved : first;
        all += saved;
      }
      long lateBy = Math.max(0, arrivesNanos - times.nanosBetween(kernel + 1, use));
      return all - Math.min((double) lateBy, first);
    }

    /** Walks over the kernels up to the one that uses a tensor, and adds up what they create. */
    private long reserve(int use) {
      for (int k = walked + 1; k <= Math.min(use, kernels - 1); k++) {
        Kernel each = graph.kernels().get(k);
        for (int created : each.lifetimes().creates()) {
          growth += graph.tensors().get(created).bytes();
        }
        mostGrowth = Math.max(mostGrowth, growth);
        for (int retired : each.lifetimes().retires()) {
          growth -= leavesFast(retired) ? graph.tensors().get(retired).bytes() : 0;
        }
        walked = k;
      }
      return mostGrowth;
    }

    private boolean leavesFast(int tensor) {
      if (!step.lasting(tensor) && step.users(tensor)[0] > kernel) {
        return true;
      }
      MemObject object = view.object(tensor);
      return object != null && view.inFast(object);
    }

    /**
     * Evicts what is used later, until an object fits beside what kernels create up to its use.
     * Returns false if it cannot, and evicts nothing then.
     */
    private boolean makeRoom(MemObject object, int use, FastLayout layout) {
      long free = layout.budgetBytes() - layout.occupiedBytes();
      long missing = object.bytes() + reserve(use) - free;
      if (missing <= 0 && layout.fits(object.bytes())) {
        return true;
      }
      long most = 0;
      for (MemObject other : layout.objects(block -> mayLeave(block, use))) {
        most += other.bytes();
      }
      if (most < missing) {
        return false;
      }
      FastLayout trial = layout.copy();
      List<MemObject> victims = new ArrayList<>();
      if (!trial.fits(object.bytes())) {
        VictimWindow window =
            trial.cheapest(object.bytes(), block -> mayLeave(block, use), this::cost);
        if (window == null) {
          return false;
        }
        for (MemObject victim : trial.objects(window)) {
          victims.add(victim);
          missing -= victim.bytes();
          trial.evict(victim);
        }
      }
      if (missing > 0) {
        List<MemObject> others = trial.objects(block -> mayLeave(block, use));
        others.sort(Comparator.comparingDouble(this::cost));
        for (MemObject victim : others) {
          if (missing <= 0) {
            break;
          }
          victims.add(victim);
          missing -= victim.bytes();
          trial.evict(victim);
        }
      }
      if (missing > 0) {
        return false;
      }
      for (MemObject victim : victims) {
        long nanos = view.needsWriteBack(victim) ? view.times().copyOut(victim.bytes()) : 0;
        actions.add(new Action.Evict(victim, Reason.OFFLOAD, nanos));
        layout.evict(victim);
      }
      return true;
    }

    /** Returns whether a block is free, or its object is used later than a kernel. */
    private boolean mayLeave(FastBlock block, int use) {
      MemObject object = block.object();
      if (object == null || !block.open()) {
        return block.open();
      }
      long next = view.nextUse(object);
      boolean later = next == MemoryView.NEVER || (next > 0 && kernel + next > use);
      return later && (!byCost || !view.needsWriteBack(object)) && !view.copying(object);
    }

    /** Returns the cost of an object's leaving, which is less the later it is used. */
    private double cost(MemObject object) {
      long next = view.nextUse(object);
      return next == MemoryView.NEVER ? 0 : (double) object.bytes() / (1 + Math.max(0, next));
    }
  }
}
