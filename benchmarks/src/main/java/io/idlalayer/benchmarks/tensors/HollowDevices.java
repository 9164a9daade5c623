package io.idlalayer.benchmarks.tensors;

import io.idlalayer.middleware.memory.clock.VirtualClock;
import io.idlalayer.middleware.memory.device.DeviceKind;
import io.idlalayer.middleware.memory.device.DeviceSpec;
import io.idlalayer.middleware.memory.device.DeviceSpeed;
import io.idlalayer.middleware.memory.object.MemorySettings;
import io.idlalayer.middleware.memory.object.TieredMemory;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.trace.HollowArena;
import java.util.List;

/** Devices that hold no bytes and run in virtual time. Recorded steps are replayed on them. */
final class HollowDevices {
  private static final long SPARE_BYTES = 1 << 20;

  private HollowDevices() {}

  /**
   * Creates a memory whose slow device has room for dead objects.
   *
   * @param fastBytes size of the fast device
   */
  static TieredMemory memory(
      TaskGraph graph, long fastBytes, DeviceSpeed fastSpeed, DeviceSpeed slowSpeed) {
    long slowBytes = FastBudget.aligned(2 * graph.peakBytes() + SPARE_BYTES);
    DeviceSpec fast = new DeviceSpec("fast", DeviceKind.FAST, fastBytes, fastSpeed);
    DeviceSpec slow = new DeviceSpec("slow", DeviceKind.SLOW, slowBytes, slowSpeed);
    return new TieredMemory(
        List.of(
            new TieredMemory.Tier(fast, new HollowArena(fast)),
            new TieredMemory.Tier(slow, new HollowArena(slow))),
        MemorySettings.DEFAULT,
        new VirtualClock());
  }
}
