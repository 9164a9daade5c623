package io.idlalayer.modelcontroller.engine.memory;

import io.idlalayer.middleware.memory.clock.VirtualClock;
import io.idlalayer.middleware.memory.device.DeviceKind;
import io.idlalayer.middleware.memory.device.DeviceSpec;
import io.idlalayer.middleware.memory.device.DeviceSpeed;
import io.idlalayer.middleware.memory.device.DirectArena;
import io.idlalayer.middleware.memory.object.MemorySettings;
import io.idlalayer.middleware.memory.object.TieredMemory;
import io.idlalayer.middleware.placement.api.PlacementPolicy;
import io.idlalayer.middleware.placement.engine.PlacedMemory;
import io.idlalayer.middleware.placement.engine.PolicyEnvironment;
import java.util.List;

/** Memories of two devices in DRAM, which are as fast as a virtual clock says. */
final class VirtualMemories {
  private static final DeviceSpeed FAST = DeviceSpeed.symmetric(1e11, 0);
  private static final DeviceSpeed SLOW = DeviceSpeed.symmetric(1e9, 0);

  private VirtualMemories() {}

  static PlacedMemory of(PlacementPolicy policy, long fastBytes, long slowBytes) {
    TieredMemory memory =
        new TieredMemory(
            List.of(
                tier("fast", DeviceKind.FAST, fastBytes, FAST),
                tier("slow", DeviceKind.SLOW, slowBytes, SLOW)),
            MemorySettings.DEFAULT,
            new VirtualClock());
    return new PlacedMemory(memory, policy, PolicyEnvironment.of(memory));
  }

  private static TieredMemory.Tier tier(
      String name, DeviceKind kind, long bytes, DeviceSpeed speed) {
    DeviceSpec spec = new DeviceSpec(name, kind, bytes, speed);
    return new TieredMemory.Tier(spec, new DirectArena(spec));
  }
}
