package io.idlalayer.middleware.placement.plan.autovm;

import io.idlalayer.middleware.placement.api.Reason;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.plan.PlacementPlan;
import io.idlalayer.middleware.placement.plan.PlacementPlan.CreationPlace;
import io.idlalayer.middleware.placement.plan.PlacementPlan.Kind;
import io.idlalayer.middleware.placement.plan.PlacementPlan.Move;
import io.idlalayer.middleware.placement.plan.PlanDevices;
import io.idlalayer.middleware.placement.plan.Planner;
import io.idlalayer.middleware.placement.plan.StepPrediction;
import io.idlalayer.middleware.placement.plan.autovm.OffloadCandidates.Candidate;
import io.idlalayer.middleware.placement.plan.autovm.PrefetchOrder.Prefetch;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/**
 * Offloads tensors after a use and prefetches them before the next one, beside the kernels between.
 *
 * <p>With known kernel times it schedules the gaps between the uses of all tensors ({@link
 * GapSchedule}); with unknown ones, and in the printed form, it follows the source: outputs of the
 * forward pass leave until the backward pass, and a window of kernels before the consumer hides the
 * prefetch ({@link PrefetchWindows}). A graph without kernel times is planned as with unknown ones.
 *
 * <p>Source: AutoVM (automatic virtual memory for neural networks). The schedule of gaps is ours,
 * for graphs with branches and for kept tensors.
 */
public final class AutoVmPlanner implements Planner {
  /** Share of the fast device that a schedule of gaps leaves free, because space is scattered. */
  private static final double RESERVE = 0.05;

  /** Smaller tensors are not worth a copy. */
  private static final long LEAST_BYTES = 16 << 10;

  /** Fewest kernels between two uses of a tensor that leaves; the source's threshold. */
  private static final int LEAST_DISTANCE = 2;

  /** Divisor of the fast device's budget that gives the size of the smallest offloaded tensor. */
  private static final long SIZE_SHARE = 100;

  private final Runtimes runtimes;
  private final Listing listing;

  /** Whether a planner uses the times of kernels. */
  public enum Runtimes {
    /** Kernel times are not used. */
    UNKNOWN,
    /** Kernel times are used. */
    KNOWN
  }

  /**
   * @param listing {@link Listing#PRINTED} is for experiments
   */
  public AutoVmPlanner(Runtimes runtimes, Listing listing) {
    this.runtimes = runtimes;
    this.listing = listing;
  }

  /** Creates a planner in the corrected form. */
  public AutoVmPlanner(Runtimes runtimes) {
    this(runtimes, Listing.CORRECTED);
  }

  @Override
  public String name() {
    if (listing == Listing.PRINTED) {
      return "autovm-printed";
    }
    return runtimes == Runtimes.KNOWN ? "autovm" : "autovm-unknown";
  }

  @Override
  public PlacementPlan plan(TaskGraph graph, PlanDevices devices) {
    boolean known =
        runtimes == Runtimes.KNOWN
            && graph.kernels().stream().allMatch(kernel -> kernel.fastNanos() > 0);
    if (graph.kernels().isEmpty() || graph.peakBytes() <= devices.fastBytes()) {
      return PlacementPlan.NONE;
    }
    Draft draft =
        known && listing == Listing.CORRECTED
            ? scheduled(graph, devices)
            : windows(graph, devices, known);
    PlacementPlan plan = draft.plan(0, 0);
    if (plan.isEmpty()) {
      return PlacementPlan.NONE;
    }
    return known ? draft.plan(StepPrediction.nanos(graph, devices, plan), graph.fastNanos()) : plan;
  }

  /** The parts of a plan. */
  private record Draft(
      Map<Integer, CreationPlace> places,
      Map<Integer, List<Move>> before,
      Map<Integer, List<Move>> after) {
    Draft() {
      this(new HashMap<>(), new HashMap<>(), new HashMap<>());
    }

    PlacementPlan plan(long predictedNanos, long boundNanos) {
      return new PlacementPlan(places, before, after, predictedNanos, boundNanos);
    }

    void before(int kernel, Kind kind, int tensor) {
      add(before, kernel, new Move(kind, tensor, Reason.PREFETCH));
    }

    void after(int kernel, Kind kind, int tensor) {
      add(after, kernel, new Move(kind, tensor, Reason.OFFLOAD));
    }

    private static void add(Map<Integer, List<Move>> moves, int kernel, Move move) {
      moves.computeIfAbsent(kernel, any -> new ArrayList<>()).add(move);
    }

    /**
     * Places the output of a kernel on the fast device where the plan has space for it: its stores
     * would be slower elsewhere, and nothing has to leave for it.
     */
    void createFast(TaskGraph graph, Collection<Integer> tensors, long[] used, long limitBytes) {
      for (int k = 0; k < used.length; k++) {
        for (int tensor : graph.kernels().get(k).lifetimes().creates()) {
          if (used[k] <= limitBytes && tensors.contains(tensor)) {
            places.put(tensor, CreationPlace.FAST);
          }
        }
      }
    }
  }

  private static Draft scheduled(TaskGraph graph, PlanDevices devices) {
    long limit = (long) (devices.fastBytes() * (1 - RESERVE));
    GapSchedule schedule =
        new GapSchedule(graph, devices, limit, UseGaps.of(graph, LEAST_BYTES, LEAST_DISTANCE));
    schedule.choose();
    Draft draft = new Draft();
    schedule.addMoves(draft.before(), draft.after());
    draft.createFast(graph, schedule.tensors(), schedule.usedBytes(), limit);
    return draft;
  }

  private Draft windows(TaskGraph graph, PlanDevices devices, boolean known) {
    List<Candidate> candidates =
        OffloadCandidates.of(graph, devices.fastBytes() / SIZE_SHARE, LEAST_DISTANCE);
    long[] resident = graph.liveBytes();
    for (Candidate each : candidates) {
      for (int k = each.offloadAfter() + 1; k < each.consumer(); k++) {
        resident[k] -= each.bytes();
      }
    }
    long[] nanos =
        known
            ? graph.kernels().stream().mapToLong(TaskGraph.Kernel::fastNanos).toArray()
            : new long[0];
    PrefetchWindows windows =
        new PrefetchWindows(resident, nanos, devices.fastBytes(), firstLater(graph), listing);
    List<Prefetch> prefetches = new ArrayList<>();
    for (Candidate each : candidates) {
      OptionalInt start =
          windows.start(each.consumer(), each.bytes(), devices.times().copyIn(each.bytes()));
      if (start.isPresent()) {
        prefetches.add(new Prefetch(each.tensor(), start.getAsInt(), each.consumer()));
      }
    }
    long[] used = windows.used();
    Draft draft = new Draft();
    for (Prefetch each :
        PrefetchOrder.repaired(
            prefetches, (prefetch, at) -> fits(graph, prefetch, at, used, devices))) {
      draft.before(each.start(), Kind.FETCH_AHEAD, each.tensor());
    }
    offload(graph, devices, candidates, known, draft);
    draft.createFast(
        graph, candidates.stream().map(Candidate::tensor).toList(), used, devices.fastBytes());
    return draft;
  }

  private static boolean fits(
      TaskGraph graph, Prefetch prefetch, int at, long[] used, PlanDevices devices) {
    long bytes = graph.tensors().get(prefetch.tensor()).bytes();
    return Arrays.stream(used, at, prefetch.start())
        .allMatch(known -> known + bytes <= devices.fastBytes());
  }

  /**
   * Adds the copies to the slow device, each of which starts after the last forward use. The tensor
   * leaves after the kernel during which its copy ends; if that is not known, after the next one.
   */
  private static void offload(
      TaskGraph graph,
      PlanDevices devices,
      List<Candidate> candidates,
      boolean known,
      Draft draft) {
    List<Candidate> order = new ArrayList<>(candidates);
    order.sort((one, other) -> Integer.compare(one.offloadAfter(), other.offloadAfter()));
    long[] ends = new long[graph.kernels().size()];
    long now = 0;
    for (int k = 0; k < ends.length; k++) {
      now += graph.kernels().get(k).fastNanos();
      ends[k] = now;
    }
    long busyUntil = 0;
    for (Candidate each : order) {
      int leaves = each.offloadAfter() + 1;
      if (known) {
        busyUntil =
            Math.max(busyUntil, ends[each.offloadAfter()]) + devices.times().copyOut(each.bytes());
        while (leaves < each.consumer() - 1 && ends[leaves] < busyUntil) {
          leaves++;
        }
      }
      draft.after(each.offloadAfter(), Kind.WRITE_BACK, each.tensor());
      draft.after(leaves, Kind.EVICT, each.tensor());
    }
  }

  /** Returns the index of the first kernel after the forward pass. */
  private static int firstLater(TaskGraph graph) {
    int last = -1;
    for (int k = 0; k < graph.kernels().size(); k++) {
      last = OffloadCandidates.isForward(graph.kernels().get(k)) ? k : last;
    }
    return last + 1;
  }
}
