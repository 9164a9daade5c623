package io.idlalayer.middleware.placement.plan.autotm;

import io.idlalayer.middleware.memory.clock.TierModel;
import io.idlalayer.middleware.memory.device.DeviceSpeed;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.api.TaskGraph.Kernel;
import io.idlalayer.middleware.placement.api.TaskGraph.Lifetimes;
import io.idlalayer.middleware.placement.api.TaskGraph.PlacementNanos;
import io.idlalayer.middleware.placement.api.TaskGraph.Tensor;
import io.idlalayer.middleware.placement.api.TaskGraph.TensorKind;
import io.idlalayer.middleware.placement.api.TransferTimes;
import io.idlalayer.middleware.placement.plan.PlanDevices;
import java.util.ArrayList;
import java.util.List;

/**
 * Examples whose best plans were found by hand: a unit of size is a MiB, a unit of time a
 * millisecond. A slow input adds its size to the time of a kernel, a slow output three times its
 * size.
 */
final class SourceExamples {
  static final long UNIT_BYTES = 1 << 20;
  static final long UNIT_NANOS = 1_000_000;

  private SourceExamples() {}

  /** Returns the example with five kernels and three tensors. */
  static TaskGraph five() {
    long[] sizes = {4, 2, 3};
    return new TaskGraph(
        List.of(
            kernel("k1", 10, sizes, List.of(), List.of(0)),
            kernel("k2", 20, sizes, List.of(0), List.of(2)),
            kernel("k3", 15, sizes, List.of(2), List.of(1)),
            kernel("k4", 25, sizes, List.of(0, 2), List.of()),
            kernel("k5", 10, sizes, List.of(0, 1), List.of())),
        List.of(tensor("t1", 4), tensor("t2", 2), tensor("t3", 3)));
  }

  /** Returns the example with six kernels of the same length and two tensors. */
  static TaskGraph six() {
    long[] sizes = {4, 4};
    return new TaskGraph(
        List.of(
            kernel("k1", 10, sizes, List.of(), List.of(0)),
            kernel("k2", 10, sizes, List.of(), List.of()),
            kernel("k3", 10, sizes, List.of(), List.of(1)),
            kernel("k4", 10, sizes, List.of(1), List.of()),
            kernel("k5", 10, sizes, List.of(), List.of()),
            kernel("k6", 10, sizes, List.of(0), List.of())),
        List.of(tensor("a", 4), tensor("b", 4)));
  }

  static Tensor tensor(String name, long size) {
    return new Tensor(name, size * UNIT_BYTES, TensorKind.INTERMEDIATE, false);
  }

  static Kernel kernel(
      String name, long time, long[] sizes, List<Integer> reads, List<Integer> writes) {
    List<Integer> arguments = new ArrayList<>(reads);
    arguments.addAll(writes);
    List<PlacementNanos> measured = new ArrayList<>();
    for (int set = 1; set < 1 << arguments.size(); set++) {
      List<Integer> slow = new ArrayList<>();
      long nanos = time;
      for (int i = 0; i < arguments.size(); i++) {
        if ((set >> i & 1) == 1) {
          slow.add(arguments.get(i));
          nanos += (i < reads.size() ? 1 : 3) * sizes[arguments.get(i)];
        }
      }
      measured.add(new PlacementNanos(slow, nanos * UNIT_NANOS));
    }
    return new Kernel(name, reads, writes, Lifetimes.NONE, time * UNIT_NANOS, measured, null);
  }

  /**
   * Returns devices between which copies take no latency.
   *
   * @param limit units of size on the fast device
   * @param writes units of size that are copied to the slow device in a unit of time
   * @param reads units of size that are copied to the fast device in a unit of time
   */
  static PlanDevices devices(double limit, double writes, double reads) {
    double perSecond = (double) UNIT_BYTES / UNIT_NANOS * 1e9;
    DeviceSpeed slow = new DeviceSpeed(reads * perSecond, writes * perSecond, 0, 0, 1, 1);
    TransferTimes times =
        new TransferTimes(TierModel.DEFAULT, slow, DeviceSpeed.symmetric(1e18, 0));
    return new PlanDevices(Math.max(1, (long) (limit * UNIT_BYTES)), times, 1, 1);
  }

  /** Returns the end of a search that has the usual time. */
  static SearchLimits.Deadline deadline() {
    return SearchLimits.DEFAULT.begin(six());
  }

  /** Returns the duration of the best schedule of a form, in units of time. */
  static double best(TaskGraph graph, PlanDevices devices, Form form) {
    PriceHeuristic heuristic = new PriceHeuristic(form, PriceHeuristic.Effort.DEFAULT, deadline());
    return heuristic.run(FlowGraph.of(graph, devices)).schedules().get(0).nanos() / UNIT_NANOS;
  }
}
