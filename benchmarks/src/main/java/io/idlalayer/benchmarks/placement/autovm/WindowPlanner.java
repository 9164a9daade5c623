package io.idlalayer.benchmarks.placement.autovm;

import io.idlalayer.benchmarks.placement.autovm.OffloadCandidates.Candidate;
import io.idlalayer.benchmarks.placement.autovm.PrefetchOrder.Prefetch;
import io.idlalayer.middleware.placement.api.Reason;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.plan.PlacementPlan;
import io.idlalayer.middleware.placement.plan.PlacementPlan.CreationPlace;
import io.idlalayer.middleware.placement.plan.PlacementPlan.Kind;
import io.idlalayer.middleware.placement.plan.PlacementPlan.Move;
import io.idlalayer.middleware.placement.plan.PlanDevices;
import io.idlalayer.middleware.placement.plan.Planner;
import io.idlalayer.middleware.placement.plan.autovm.StepPrediction;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/**
 * The plans of AutoVM as in its source: outputs of the forward pass leave until the backward pass,
 * and a window of kernels before the consumer hides the prefetch ({@link PrefetchWindows}). The
 * product's planner schedules the gaps between all uses instead.
 *
 * <p>Source: AutoVM (automatic virtual memory for neural networks), chapter 3.
 */
public final class WindowPlanner implements Planner {
  /** Fewest kernels between two uses of a tensor that leaves; the source's threshold. */
  private static final int LEAST_DISTANCE = 2;

  /** Divisor of the fast device's budget that gives the size of the smallest offloaded tensor. */
  private static final long SIZE_SHARE = 100;

  private final Form form;

  /** Forms of the source's plans. */
  public enum Form {
    /** The times of kernels are not used, and a window is as long as memory suffices. */
    UNKNOWN("autovm-unknown", Listing.CORRECTED),
    /** The times of kernels are used, and the search for a window is the printed one. */
    PRINTED("autovm-printed", Listing.PRINTED);

    private final String planner;
    private final Listing listing;

    Form(String planner, Listing listing) {
      this.planner = planner;
      this.listing = listing;
    }
  }

  public WindowPlanner(Form form) {
    this.form = form;
  }

  @Override
  public String name() {
    return form.planner;
  }

  @Override
  public PlacementPlan plan(TaskGraph graph, PlanDevices devices) {
    if (graph.kernels().isEmpty() || graph.peakBytes() <= devices.fastBytes()) {
      return PlacementPlan.NONE;
    }
    boolean known =
        form == Form.PRINTED && graph.kernels().stream().allMatch(kernel -> kernel.fastNanos() > 0);
    PlacementPlan plan = new Planning(graph, devices, known).plan();
    if (plan.isEmpty()) {
      return PlacementPlan.NONE;
    }
    return known
        ? new PlacementPlan(
            plan.places(),
            plan.before(),
            plan.after(),
            StepPrediction.nanos(graph, devices, plan),
            graph.fastNanos())
        : plan;
  }

  /** Plans one step. */
  private final class Planning {
    private final TaskGraph graph;
    private final PlanDevices devices;
    private final boolean known;
    private final Map<Integer, CreationPlace> places = new HashMap<>();
    private final Map<Integer, List<Move>> before = new HashMap<>();
    private final Map<Integer, List<Move>> after = new HashMap<>();

    Planning(TaskGraph graph, PlanDevices devices, boolean known) {
      this.graph = graph;
      this.devices = devices;
      this.known = known;
    }

    PlacementPlan plan() {
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
          new PrefetchWindows(resident, nanos, devices.fastBytes(), firstLater(), form.listing);
      List<Prefetch> prefetches = new ArrayList<>();
      for (Candidate each : candidates) {
        OptionalInt start =
            windows.start(each.consumer(), each.bytes(), devices.times().copyIn(each.bytes()));
        if (start.isPresent()) {
          prefetches.add(new Prefetch(each.tensor(), start.getAsInt(), each.consumer()));
        }
      }
      long[] used = windows.used();
      for (Prefetch each :
          PrefetchOrder.repaired(prefetches, (prefetch, at) -> fits(prefetch, at, used))) {
        add(before, each.start(), Kind.FETCH_AHEAD, each.tensor(), Reason.PREFETCH);
      }
      offload(candidates);
      createFast(candidates, used);
      return new PlacementPlan(places, before, after, 0, 0);
    }

    private void add(
        Map<Integer, List<Move>> moves, int kernel, Kind kind, int tensor, Reason reason) {
      moves.computeIfAbsent(kernel, any -> new ArrayList<>()).add(new Move(kind, tensor, reason));
    }

    /** Returns the index of the first kernel after the forward pass. */
    private int firstLater() {
      int last = -1;
      for (int k = 0; k < graph.kernels().size(); k++) {
        last = OffloadCandidates.isForward(graph.kernels().get(k)) ? k : last;
      }
      return last + 1;
    }

    private boolean fits(Prefetch prefetch, int at, long[] used) {
      long bytes = graph.tensors().get(prefetch.tensor()).bytes();
      return Arrays.stream(used, at, prefetch.start())
          .allMatch(each -> each + bytes <= devices.fastBytes());
    }

    /**
     * Adds the copies to the slow device, each of which starts after the last forward use. The
     * tensor leaves after the kernel during which its copy ends; if that is not known, after the
     * next one.
     */
    private void offload(List<Candidate> candidates) {
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
              Math.max(busyUntil, ends[each.offloadAfter()])
                  + devices.times().copyOut(each.bytes());
          while (leaves < each.consumer() - 1 && ends[leaves] < busyUntil) {
            leaves++;
          }
        }
        add(after, each.offloadAfter(), Kind.WRITE_BACK, each.tensor(), Reason.OFFLOAD);
        add(after, leaves, Kind.EVICT, each.tensor(), Reason.OFFLOAD);
      }
    }

    /** Creates outputs on the fast device where the plan has space for them. */
    private void createFast(List<Candidate> candidates, long[] used) {
      List<Integer> tensors = candidates.stream().map(Candidate::tensor).toList();
      for (int k = 0; k < used.length; k++) {
        for (int tensor : graph.kernels().get(k).lifetimes().creates()) {
          if (used[k] <= devices.fastBytes() && tensors.contains(tensor)) {
            places.put(tensor, CreationPlace.FAST);
          }
        }
      }
    }
  }
}
