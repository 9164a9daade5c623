package io.idlalayer.benchmarks.tensors;

import io.idlalayer.benchmarks.placement.ComparedPolicy;
import io.idlalayer.benchmarks.trace.StepTraffic;
import io.idlalayer.middleware.memory.device.DeviceKind;
import io.idlalayer.middleware.memory.device.DeviceSpeed;
import io.idlalayer.middleware.memory.object.TieredMemory;
import io.idlalayer.middleware.placement.api.PlacementPolicy;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.engine.PlacedMemory;
import io.idlalayer.middleware.placement.engine.PolicyEnvironment;
import io.idlalayer.middleware.placement.trace.TraceReplay;

/** Replays a step on devices without bytes. */
final class ReplayBench {
  private ReplayBench() {}

  static StepTraffic run(TaskGraph graph, PolicyRow row, DeviceSpeed speed, int warmUps, int steps)
      throws InterruptedException {
    TieredMemory memory =
        HollowDevices.memory(graph, row.budgetBytes(), speed, DeviceSpeed.slowerThan(speed));
    PlacementPolicy policy = ComparedPolicy.of(row.name()).create();
    try (PlacedMemory placed = new PlacedMemory(memory, policy, PolicyEnvironment.of(memory));
        TraceReplay replay = new TraceReplay(graph, placed, false, true)) {
      for (int i = 0; i < warmUps; i++) {
        replay.step();
      }
      StepTraffic.Mark before = StepTraffic.Mark.of(placed, policy);
      for (int i = 0; i < steps; i++) {
        replay.step();
      }
      return StepTraffic.Mark.of(placed, policy)
          .since(before, steps, memory.first(DeviceKind.FAST), memory.first(DeviceKind.SLOW));
    }
  }
}
