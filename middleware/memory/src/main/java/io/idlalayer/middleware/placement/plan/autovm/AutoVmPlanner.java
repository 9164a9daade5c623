package io.idlalayer.middleware.placement.plan.autovm;

import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.plan.PlacementPlan;
import io.idlalayer.middleware.placement.plan.PlacementPlan.CreationPlace;
import io.idlalayer.middleware.placement.plan.PlacementPlan.Move;
import io.idlalayer.middleware.placement.plan.PlanDevices;
import io.idlalayer.middleware.placement.plan.Planner;
import io.idlalayer.middleware.placement.plan.address.Addresses;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A planner that copies tensors to the slow device after a use and back before the next use, while
 * the kernels between these uses run. It schedules the gaps between the uses of all tensors ({@link
 * GapSchedule}), so it needs the times of all kernels; a graph that lacks one has no plan.
 *
 * <p>Source: AutoVM (automatic virtual memory for neural networks). The schedule of gaps is ours,
 * for graphs with branches and for lasting tensors.
 */
public final class AutoVmPlanner implements Planner {
  /** Share of the fast device that a schedule of gaps leaves free, because space is scattered. */
  private static final double RESERVE = 0.05;

  /** Smaller tensors are not worth a copy. */
  private static final long LEAST_BYTES = 16 << 10;

  /** Fewest kernels between two uses of a tensor that leaves; the source's threshold. */
  private static final int LEAST_DISTANCE = 2;

  @Override
  public String name() {
    return "autovm";
  }

  @Override
  public PlacementPlan plan(TaskGraph graph, PlanDevices devices) {
    boolean timed = graph.kernels().stream().allMatch(kernel -> kernel.fastNanos() > 0);
    if (graph.kernels().isEmpty() || !timed || graph.peakBytes() <= devices.fastBytes()) {
      return PlacementPlan.NONE;
    }
    long limit = (long) (devices.fastBytes() * (1 - RESERVE));
    GapSchedule schedule =
        new GapSchedule(graph, devices, limit, UseGaps.of(graph, LEAST_BYTES, LEAST_DISTANCE));
    schedule.choose();
    Map<Integer, List<Move>> before = new HashMap<>();
    Map<Integer, List<Move>> after = new HashMap<>();
    schedule.addMoves(before, after);
    Map<Integer, CreationPlace> places =
        createdFast(graph, schedule.tensors(), schedule.usedBytes(), limit);
    PlacementPlan plan = new PlacementPlan(places, before, after, 0, 0);
    return plan.isEmpty()
        ? PlacementPlan.NONE
        : Addresses.orAnywhere(
            graph,
            devices,
            plan.predicting(StepPrediction.nanos(graph, devices, plan), graph.fastNanos()));
  }

  /**
   * Returns the tensors that are created on the fast device, because the plan has space for them
   * there: their kernel's stores would be slower elsewhere, and nothing has to leave for them.
   */
  private static Map<Integer, CreationPlace> createdFast(
      TaskGraph graph, Collection<Integer> tensors, long[] used, long limitBytes) {
    Map<Integer, CreationPlace> places = new HashMap<>();
    for (int k = 0; k < used.length; k++) {
      for (int tensor : graph.kernels().get(k).lifetimes().creates()) {
        if (used[k] <= limitBytes && tensors.contains(tensor)) {
          places.put(tensor, CreationPlace.FAST);
        }
      }
    }
    return places;
  }
}
