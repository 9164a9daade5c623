package io.idlalayer.middleware.placement.plan.redl;

import io.idlalayer.middleware.memory.clock.VirtualClock;
import io.idlalayer.middleware.memory.device.DeviceKind;
import io.idlalayer.middleware.memory.device.DeviceSpec;
import io.idlalayer.middleware.memory.object.MemorySettings;
import io.idlalayer.middleware.memory.object.TieredMemory;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.engine.PlacedMemory;
import io.idlalayer.middleware.placement.engine.PolicyEnvironment;
import io.idlalayer.middleware.placement.plan.PlanDevices;
import io.idlalayer.middleware.placement.policies.improved.ImprovedPolicy;
import io.idlalayer.middleware.placement.policies.migrating.Periods;
import io.idlalayer.middleware.placement.policies.migrating.RedlPolicy;
import io.idlalayer.middleware.placement.trace.HollowArena;
import io.idlalayer.middleware.placement.trace.TraceReplay;
import java.util.List;

/**
 * Measures the step of a graph with given periods under a virtual clock, on devices without bytes.
 */
final class PeriodRehearsal {
  /** Steps until the steady state. */
  private static final int WARM_STEPS = 2;

  private static final int STEPS = 3;

  private final TaskGraph graph;
  private final PlanDevices devices;

  PeriodRehearsal(TaskGraph graph, PlanDevices devices) {
    this.graph = graph;
    this.devices = devices;
  }

  private TieredMemory memory() {
    long slowBytes = devices.alignedBytes(2 * graph.peakBytes() + devices.fastBytes());
    DeviceSpec fast =
        new DeviceSpec(
            "fast",
            DeviceKind.FAST,
            devices.alignedBytes(devices.fastBytes()),
            Math.toIntExact(devices.granuleBytes()),
            devices.times().fast());
    DeviceSpec slow =
        new DeviceSpec(
            "slow",
            DeviceKind.SLOW,
            slowBytes,
            Math.toIntExact(devices.granuleBytes()),
            devices.times().slow());
    return new TieredMemory(
        List.of(
            new TieredMemory.Tier(fast, new HollowArena(fast)),
            new TieredMemory.Tier(slow, new HollowArena(slow))),
        MemorySettings.DEFAULT,
        new VirtualClock());
  }

  /** Returns the mean nanoseconds of a step in the steady state. */
  long nanos(Periods periods) throws InterruptedException {
    TieredMemory memory = memory();
    PolicyEnvironment usual = PolicyEnvironment.of(memory);
    PolicyEnvironment environment =
        new PolicyEnvironment(usual.fast(), usual.slow(), devices.times().model());
    RedlPolicy policy =
        new RedlPolicy(
            "redl", RedlPolicy.Mode.BY_COST, (step, view) -> periods, new ImprovedPolicy("redl"));
    try (PlacedMemory placed = new PlacedMemory(memory, policy, environment);
        TraceReplay replay = new TraceReplay(graph, placed, false, true)) {
      for (int i = 0; i < WARM_STEPS; i++) {
        replay.step();
      }
      long start = memory.clock().nanos();
      for (int i = 0; i < STEPS; i++) {
        replay.step();
      }
      return (memory.clock().nanos() - start) / STEPS;
    }
  }
}
