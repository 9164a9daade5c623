package io.idlalayer.benchmarks.migration;

import io.idlalayer.benchmarks.placement.ForwardingPlacementPolicy;
import io.idlalayer.benchmarks.trace.StepTraffic;
import io.idlalayer.middleware.memory.device.DeviceKind;
import io.idlalayer.middleware.memory.device.DeviceSpec;
import io.idlalayer.middleware.memory.device.DeviceSpeed;
import io.idlalayer.middleware.memory.object.MemorySettings;
import io.idlalayer.middleware.memory.object.TieredMemory;
import io.idlalayer.middleware.placement.api.KernelEvent;
import io.idlalayer.middleware.placement.api.MemoryView;
import io.idlalayer.middleware.placement.api.PlacementPolicy;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.engine.PlacedMemory;
import io.idlalayer.middleware.placement.engine.PolicyEnvironment;
import io.idlalayer.middleware.placement.plan.PlanDevices;
import io.idlalayer.middleware.placement.trace.HollowArena;
import io.idlalayer.middleware.placement.trace.TraceReplay;
import java.util.List;

/** Steps of a graph under one policy in virtual time, on devices without bytes. SIMULATED. */
final class SimulatedRun implements AutoCloseable {
  private static final long SPARE_BYTES = 1 << 20;

  private final DriftingClock clock = new DriftingClock();
  private final PlacedMemory memory;
  private final TraceReplay replay;

  /** Charges kernels what slow arguments cost on the slow device as fast as it is now. */
  private static final class DriftingKernels extends ForwardingPlacementPolicy {
    private final DriftingClock clock;
    private final DeviceSpeed slow;

    DriftingKernels(PlacementPolicy policy, DriftingClock clock, DeviceSpeed slow) {
      super(policy);
      this.clock = clock;
      this.slow = slow;
    }

    @Override
    public long kernelNanos(KernelEvent kernel, long fastNanos, MemoryView view) {
      long in = view.slowBytes(kernel.reads());
      long out = view.slowBytes(kernel.writes());
      DeviceSpeed now = slow.slowedBy(clock.slowdown(), clock.slowdown());
      return in + out == 0 ? fastNanos : view.model().kernelNanos(now, fastNanos, in, out);
    }
  }

  SimulatedRun(TaskGraph graph, PlanDevices devices, PlacementPolicy policy)
      throws InterruptedException {
    DeviceSpeed slowSpeed = devices.times().slow();
    DeviceSpec fast = spec("fast", DeviceKind.FAST, devices.fastBytes(), devices.times().fast());
    DeviceSpec slow = spec("slow", DeviceKind.SLOW, 2 * graph.peakBytes() + SPARE_BYTES, slowSpeed);
    TieredMemory tiers =
        new TieredMemory(
            List.of(
                new TieredMemory.Tier(fast, new HollowArena(fast)),
                new TieredMemory.Tier(slow, new HollowArena(slow))),
            MemorySettings.DEFAULT,
            clock);
    PolicyEnvironment usual = PolicyEnvironment.of(tiers);
    memory =
        new PlacedMemory(
            tiers,
            new DriftingKernels(policy, clock, slowSpeed),
            new PolicyEnvironment(usual.fast(), usual.slow(), devices.times().model()));
    replay = new TraceReplay(graph, memory, false, true);
  }

  private static DeviceSpec spec(String name, DeviceKind kind, long bytes, DeviceSpeed speed) {
    long align = DeviceSpec.DEFAULT_ALIGN_BYTES;
    return new DeviceSpec(name, kind, (bytes + align - 1) / align * align, speed);
  }

  void slowdown(double factor) {
    clock.slowdown(factor);
  }

  /** Runs a step and returns its nanoseconds. */
  long step() throws InterruptedException {
    long start = clock.nanos();
    replay.step();
    return clock.nanos() - start;
  }

  /** Runs steps and returns what they moved. */
  StepTraffic steps(int count, PlacementPolicy policy) throws InterruptedException {
    StepTraffic.Mark before = StepTraffic.Mark.of(memory, policy);
    for (int i = 0; i < count; i++) {
      step();
    }
    return StepTraffic.Mark.of(memory, policy)
        .since(
            before,
            count,
            memory.memory().first(DeviceKind.FAST),
            memory.memory().first(DeviceKind.SLOW));
  }

  @Override
  public void close() throws InterruptedException {
    try (memory) {
      replay.close();
    }
  }
}
