package io.idlalayer.modelcontroller.engine.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.memory.device.DeviceId;
import io.idlalayer.middleware.memory.device.DeviceKind;
import io.idlalayer.middleware.memory.device.DeviceSpeed;
import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.memory.object.TieredMemory;
import io.idlalayer.middleware.placement.PlacementName;
import io.idlalayer.middleware.placement.api.AllocationRequest;
import io.idlalayer.middleware.placement.api.Hint;
import io.idlalayer.middleware.placement.api.KernelEvent;
import io.idlalayer.middleware.placement.engine.PlacedMemory;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class MeasuredDevicesTest {
  private static final long BYTES = 1 << 20;

  @TempDir Path folder;

  /** The slow device as it is believed to be. */
  private static DeviceSpeed slow(PlacedMemory placed) {
    TieredMemory memory = placed.memory();
    return memory.speed(memory.first(DeviceKind.SLOW), memory.first(DeviceKind.FAST));
  }

  private static DeviceSpeed specified(PlacedMemory placed) {
    DeviceId slow = placed.memory().first(DeviceKind.SLOW);
    return placed.memory().spec(slow).speed();
  }

  /** Objects, of which one fits: each new one drives out the last one, by a copy. */
  private static void copyOut(PlacedMemory placed) throws InterruptedException {
    for (int i = 0; i < 4; i++) {
      MemObject made = placed.create(new AllocationRequest(BYTES, Hint.AUTO, 0, ""));
      placed.run(
          new KernelEvent(i, "fill", List.of(), List.of(made)),
          arguments -> arguments.bytes(made).put(0, (byte) 1));
    }
  }

  @Test
  void open_again_keepsWhatCopiesHaveShownOfTheSpeeds() throws Exception {
    TensorSettings settings =
        new TensorSettings(BYTES, folder, 4 * BYTES, PlacementName.CACHED_ARRAYS);
    try (TensorDevices devices = settings.devices()) {
      DeviceSpeed found;
      try (PlacedMemory first = devices.open()) {
        assertThat(slow(first)).isEqualTo(specified(first));
        copyOut(first);
        found = slow(first);
        assertThat(found).isNotEqualTo(specified(first));
      }
      try (PlacedMemory second = devices.open()) {
        assertThat(slow(second)).isEqualTo(found);
      }
    }
  }
}
