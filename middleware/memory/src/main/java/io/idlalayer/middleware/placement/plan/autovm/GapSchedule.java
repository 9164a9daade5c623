package io.idlalayer.middleware.placement.plan.autovm;

import io.idlalayer.middleware.placement.api.Reason;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.plan.PlacementPlan.Kind;
import io.idlalayer.middleware.placement.plan.PlacementPlan.Move;
import io.idlalayer.middleware.placement.plan.PlanDevices;
import io.idlalayer.middleware.placement.plan.autovm.UseGaps.Gap;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Schedules the copies of a step so that its tensors fit the fast device, where that is possible
 * beside the kernels. It chooses gaps between uses of tensors until no kernel needs more than the
 * limit: each time, at the kernel with the greatest excess, the gap that also covers the most other
 * kernels with an excess.
 *
 * <ul>
 *   <li>Copies to the slow device start in the order in which tensors were written last.
 *   <li>Copies to the fast device start as late as possible, scheduled backward.
 *   <li>A gap that is shorter than its two copies is skipped, and one that does not lower the
 *       kernel for which it was chosen is given up.
 * </ul>
 *
 * <p>The times of a step repeat: copies of lasting tensors may pass from one step into the next.
 */
final class GapSchedule {
  private static final long NONE = Long.MIN_VALUE / 4;

  private final PlanDevices devices;
  private final long limitBytes;
  private final int kernels;

  /** Start of each kernel, and of the next step, in nanoseconds since the start of the step. */
  private final long[] starts;

  private final long[] live;
  private final List<Gap> gaps;
  private final Set<Gap> banned = new HashSet<>();
  private final Set<Integer> givenUp = new HashSet<>();
  private List<Placed> placed = List.of();
  private long[] used;

  /**
   * A gap whose copies are scheduled.
   *
   * @param freeAfter index of the kernel after which the tensor leaves
   * @param fetchBefore index of the kernel before which it is fetched, counted on into the next
   *     step
   * @param writes whether its bytes must be copied to the slow device
   */
  private record Placed(Gap gap, int freeAfter, int fetchBefore, boolean writes) {}

  GapSchedule(TaskGraph graph, PlanDevices devices, long limitBytes, List<Gap> gaps) {
    this.devices = devices;
    this.limitBytes = limitBytes;
    kernels = graph.kernels().size();
    starts = new long[kernels + 1];
    for (int k = 0; k < kernels; k++) {
      starts[k + 1] = starts[k] + Math.max(1, graph.kernels().get(k).fastNanos());
    }
    live = live(graph, devices);
    used = live;
    this.gaps = gaps.stream().filter(this::canHide).toList();
  }

  private static long[] live(TaskGraph graph, PlanDevices devices) {
    long[] live = new long[graph.kernels().size()];
    boolean[] created = new boolean[graph.tensors().size()];
    graph
        .kernels()
        .forEach(kernel -> kernel.lifetimes().creates().forEach(tensor -> created[tensor] = true));
    long now = 0;
    for (int tensor = 0; tensor < created.length; tensor++) {
      now += created[tensor] ? 0 : devices.alignedBytes(graph.tensors().get(tensor).bytes());
    }
    for (int k = 0; k < live.length; k++) {
      TaskGraph.Lifetimes lifetimes = graph.kernels().get(k).lifetimes();
      for (int tensor : lifetimes.creates()) {
        now += devices.alignedBytes(graph.tensors().get(tensor).bytes());
      }
      live[k] = now;
      for (int tensor : lifetimes.retires()) {
        now -= devices.alignedBytes(graph.tensors().get(tensor).bytes());
      }
    }
    return live;
  }

  private long start(int kernel) {
    return starts[kernel % kernels] + (long) (kernel / kernels) * starts[kernels];
  }

  private long end(int kernel) {
    return kernel >= 0 ? start(kernel + 1) : start(kernel + 1 + kernels) - starts[kernels];
  }

  private boolean canHide(Gap gap) {
    long copies = devices.times().copyIn(gap.bytes());
    if (gap.written() != Gap.NEVER_WRITTEN) {
      copies += devices.times().copyOut(gap.bytes());
    }
    return start(gap.to()) - end(gap.from()) >= copies;
  }

  /** Chooses gaps; returns whether every kernel stays within the limit. */
  boolean choose() {
    Set<Gap> chosen = new HashSet<>();
    while (true) {
      int worst = worst();
      if (worst < 0) {
        return givenUp.isEmpty();
      }
      Gap best = best(worst, chosen);
      if (best == null) {
        givenUp.add(worst);
        continue;
      }
      long before = used[worst];
      List<Placed> former = placed;
      long[] formerUsed = used;
      chosen.add(best);
      schedule(chosen);
      if (used[worst] >= before) {
        chosen.remove(best);
        banned.add(best);
        placed = former;
        used = formerUsed;
      }
    }
  }

  /** Returns the kernel with the greatest excess over the limit; -1 if there is none. */
  private int worst() {
    int worst = -1;
    long most = limitBytes;
    for (int k = 0; k < kernels; k++) {
      if (used[k] > most && !givenUp.contains(k)) {
        most = used[k];
        worst = k;
      }
    }
    return worst;
  }

  /** Returns the best gap over a kernel: over the most kernels with an excess, for its bytes. */
  private @Nullable Gap best(int kernel, Set<Gap> chosen) {
    int[] above = new int[kernels + 1];
    for (int k = 0; k < kernels; k++) {
      above[k + 1] = above[k] + (used[k] > limitBytes ? 1 : 0);
    }
    Gap best = null;
    double most = 0;
    for (Gap gap : gaps) {
      boolean over =
          (gap.from() < kernel && kernel < gap.to())
              || (gap.from() < kernel + kernels && kernel + kernels < gap.to());
      if (over && !chosen.contains(gap) && !banned.contains(gap)) {
        double value = between(above, gap.from() + 1, gap.to());
        long idle = start(gap.to()) - end(gap.from());
        value *= (double) idle / (idle + devices.times().copyIn(gap.bytes()));
        if (value > most) {
          most = value;
          best = gap;
        }
      }
    }
    return best;
  }

  private int between(int[] above, int from, int to) {
    if (to <= kernels) {
      return above[to] - above[from];
    }
    return above[kernels] - above[Math.min(from, kernels)] + above[Math.min(kernels, to - kernels)];
  }

  private void schedule(Set<Gap> chosen) {
    List<Gap> order = new ArrayList<>(chosen);
    Map<Gap, Integer> freeAfter = new HashMap<>();
    Set<Gap> writes = new HashSet<>();
    scheduleOut(order, freeAfter, writes);
    Map<Gap, Integer> fetchBefore = scheduleIn(order);
    List<Placed> now = new ArrayList<>(order.size());
    // Changes of the bytes from each kernel to the next one, then their sums.
    long[] changes = new long[kernels + 1];
    for (Gap gap : order) {
      Placed each =
          new Placed(
              gap,
              freeAfter.getOrDefault(gap, gap.from()),
              fetchBefore.getOrDefault(gap, gap.to()),
              writes.contains(gap));
      now.add(each);
      away(changes, each.freeAfter() + 1, each.fetchBefore(), devices.alignedBytes(gap.bytes()));
    }
    long[] next = live.clone();
    long away = 0;
    for (int k = 0; k < kernels; k++) {
      away += changes[k];
      next[k] -= away;
    }
    placed = now;
    used = next;
  }

  /** Notes that some bytes are away from a kernel on, until another one, maybe of the next step. */
  private void away(long[] changes, int from, int to, long bytes) {
    if (to <= from) {
      return;
    }
    if (from < kernels) {
      changes[from] += bytes;
      changes[Math.min(to, kernels)] -= bytes;
    }
    if (to > kernels) {
      int first = Math.max(0, from - kernels);
      changes[first] += bytes;
      changes[to - kernels] -= bytes;
    }
  }

  /**
   * Schedules the copies to the slow device, one after another in the order of the last writes. A
   * tensor whose bytes an earlier gap has copied, and that was not written since, needs none.
   */
  private void scheduleOut(List<Gap> order, Map<Gap, Integer> freeAfter, Set<Gap> writes) {
    Map<Long, Gap> first = new HashMap<>();
    for (Gap gap : order) {
      if (gap.written() != Gap.NEVER_WRITTEN) {
        long version = (long) gap.tensor() * kernels + Math.floorMod(gap.written(), kernels);
        first.merge(
            version, gap, (one, other) -> sinceWrite(one) <= sinceWrite(other) ? one : other);
      }
    }
    writes.addAll(first.values());
    order.sort(
        Comparator.comparingInt(Gap::written)
            .thenComparingInt(Gap::from)
            .thenComparingInt(Gap::tensor));
    long busyUntil = NONE;
    for (Gap gap : order) {
      int free = gap.from();
      if (writes.contains(gap)) {
        busyUntil = Math.max(busyUntil, end(gap.written())) + devices.times().copyOut(gap.bytes());
        while (end(free) < busyUntil && free < gap.to()) {
          free++;
        }
      }
      freeAfter.put(gap, free);
    }
  }

  private static int sinceWrite(Gap gap) {
    return gap.from() - gap.written();
  }

  /** Schedules the copies to the fast device backward, each as late as possible. */
  private Map<Gap, Integer> scheduleIn(List<Gap> order) {
    List<Gap> backward = new ArrayList<>(order);
    backward.sort(Comparator.comparingInt((Gap gap) -> -gap.to()).thenComparingInt(Gap::tensor));
    Map<Gap, Integer> before = new HashMap<>();
    long free = Long.MAX_VALUE;
    for (Gap gap : backward) {
      long start = Math.min(start(gap.to()), free) - devices.times().copyIn(gap.bytes());
      int kernel = gap.to();
      while (kernel > gap.from() && start(kernel) > start) {
        kernel--;
      }
      free = start;
      before.put(gap, kernel);
    }
    return before;
  }

  /** Returns the bytes that each kernel needs on the fast device. */
  long[] usedBytes() {
    return used.clone();
  }

  /** Adds the moves of this schedule. */
  void addMoves(Map<Integer, List<Move>> before, Map<Integer, List<Move>> after) {
    List<Placed> outs = new ArrayList<>(placed);
    outs.removeIf(each -> each.fetchBefore() <= each.freeAfter() + 1);
    List<Placed> ins = new ArrayList<>(outs);
    outs.sort(Comparator.comparingInt((Placed each) -> each.gap().written()));
    for (Placed each : outs) {
      int tensor = each.gap().tensor();
      if (each.writes()) {
        int written = Math.floorMod(each.gap().written(), kernels);
        add(after, written, new Move(Kind.WRITE_BACK, tensor, Reason.OFFLOAD));
      }
      add(after, each.freeAfter() % kernels, new Move(Kind.EVICT, tensor, Reason.OFFLOAD));
    }
    ins.sort(Comparator.comparingInt((Placed each) -> each.gap().to()));
    for (Placed each : ins) {
      add(
          before,
          each.fetchBefore() % kernels,
          new Move(Kind.FETCH_AHEAD, each.gap().tensor(), Reason.PREFETCH));
    }
  }

  private static void add(Map<Integer, List<Move>> moves, int kernel, Move move) {
    moves.computeIfAbsent(kernel, any -> new ArrayList<>()).add(move);
  }

  /** Returns the tensors that this schedule moves. */
  Set<Integer> tensors() {
    Set<Integer> moved = new HashSet<>();
    placed.forEach(each -> moved.add(each.gap().tensor()));
    return moved;
  }
}
