package io.idlalayer.middleware.placement.plan;

import io.idlalayer.middleware.memory.clock.TierModel;
import io.idlalayer.middleware.memory.device.DeviceSpeed;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.api.TransferTimes;
import io.idlalayer.middleware.placement.plan.autovm.AutoVmPlanner;
import io.idlalayer.middleware.placement.trace.RandomGraphs;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Supplier;

/** Devices, steps and planners of the tests of plans. */
public final class Plans {
  private static final DeviceSpeed DRAM = DeviceSpeed.symmetric(1e10, 100);

  private Plans() {}

  /** Devices with the ratios of speed of the source. */
  public static PlanDevices devices(long fastBytes) {
    TransferTimes times = new TransferTimes(TierModel.DEFAULT, DeviceSpeed.slowerThan(DRAM), DRAM);
    return new PlanDevices(fastBytes, times, 64, 1);
  }

  /** A chain of layers whose kernels are long enough to hide the copies of their tensors. */
  public static TaskGraph chain(int layers) {
    TaskGraph chain = RandomGraphs.chain(layers, 64, 1 << 20);
    long[] nanos = new long[chain.kernels().size()];
    Arrays.fill(nanos, 2_000_000);
    return chain.timed(nanos);
  }

  /** A planner of a name. */
  public static Planner planner(
      String name, BiFunction<TaskGraph, PlanDevices, PlacementPlan> plans) {
    return new Planner() {
      @Override
      public String name() {
        return name;
      }

      @Override
      public PlacementPlan plan(TaskGraph graph, PlanDevices devices) {
        return plans.apply(graph, devices);
      }
    };
  }

  /** The planner of the product. */
  public static Planner autoVm() {
    return new AutoVmPlanner();
  }

  /** A planner that has several plans, or fails. */
  record Candidates(String name, boolean takesLong, Supplier<List<PlacementPlan>> plans)
      implements Planner {
    @Override
    public PlacementPlan plan(TaskGraph graph, PlanDevices devices) {
      return candidates(graph, devices).get(0);
    }

    @Override
    public List<PlacementPlan> candidates(TaskGraph graph, PlanDevices devices) {
      return plans.get();
    }
  }
}
