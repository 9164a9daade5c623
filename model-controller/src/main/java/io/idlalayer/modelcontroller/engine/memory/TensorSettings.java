package io.idlalayer.modelcontroller.engine.memory;

import io.idlalayer.middleware.memory.Arena;
import io.idlalayer.middleware.memory.DeviceKind;
import io.idlalayer.middleware.memory.DeviceProbe;
import io.idlalayer.middleware.memory.DeviceProfile;
import io.idlalayer.middleware.memory.DeviceSpec;
import io.idlalayer.middleware.memory.DeviceSpeed;
import io.idlalayer.middleware.memory.DirectArena;
import io.idlalayer.middleware.memory.MappedArena;
import io.idlalayer.middleware.memory.MemorySettings;
import io.idlalayer.middleware.memory.RealClock;
import io.idlalayer.middleware.memory.TieredMemory;
import io.idlalayer.middleware.placement.PlacementName;
import io.idlalayer.middleware.placement.engine.PlacedMemory;
import io.idlalayer.middleware.placement.engine.PolicyEnvironment;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A fast device of DRAM outside the heap and a slow one of a mapped file.
 *
 * @param fastBytes of DRAM; counts against {@code -XX:MaxDirectMemorySize}
 * @param slowDirectory where the file is made, which has no name afterwards; must exist
 * @param slowBytes of the file
 */
public record TensorSettings(
    long fastBytes, Path slowDirectory, long slowBytes, PlacementName policy)
    implements TensorPlacement {
  private static final Logger LOG = LoggerFactory.getLogger(TensorSettings.class);
  private static final DeviceSpeed UNKNOWN = DeviceSpeed.symmetric(1, 0);

  /** Short, since somebody waits for the first model. */
  private static final DeviceProbe PROBE = new DeviceProbe(64L << 20, 3, System::nanoTime);

  private static final long SEED = 1;

  public TensorSettings {
    if (fastBytes <= 0 || slowBytes <= 0) {
      throw new IllegalArgumentException(
          "tensors in %d fast and %d slow bytes; both must be above 0"
              .formatted(fastBytes, slowBytes));
    }
  }

  /** Makes both devices and measures them, which takes a part of a second. */
  @Override
  public PlacedMemory open() {
    DeviceSpec slowSpec = spec("slow", DeviceKind.SLOW, slowBytes, UNKNOWN);
    DeviceSpec fastSpec = spec("fast", DeviceKind.FAST, fastBytes, UNKNOWN);
    Arena slow = new MappedArena(slowSpec, slowDirectory, MappedArena.Options.DEFAULT);
    Arena fast = null;
    boolean whole = false;
    try {
      fast = new DirectArena(fastSpec);
      TieredMemory memory =
          new TieredMemory(
              List.of(measured(fastSpec, fast), measured(slowSpec, slow)),
              MemorySettings.DEFAULT,
              new RealClock());
      PlacedMemory placed =
          new PlacedMemory(
              memory, policy.create(), PolicyEnvironment.of(memory, new SplittableRandom(SEED)));
      whole = true;
      return placed;
    } finally {
      if (!whole) {
        slow.close();
        if (fast != null) {
          fast.close();
        }
      }
    }
  }

  private static DeviceSpec spec(String name, DeviceKind kind, long bytes, DeviceSpeed speed) {
    return new DeviceSpec(name, kind, aligned(bytes), speed);
  }

  private static TieredMemory.Tier measured(DeviceSpec spec, Arena arena) {
    DeviceProfile profile = DeviceProfile.measure(spec, arena, PROBE);
    LOG.info("device for tensors: {}", profile.line());
    return new TieredMemory.Tier(
        spec(spec.name(), spec.kind(), spec.capacityBytes(), profile.speed()), arena);
  }

  private static long aligned(long bytes) {
    return (bytes + DeviceSpec.DEFAULT_ALIGN_BYTES - 1) & -DeviceSpec.DEFAULT_ALIGN_BYTES;
  }
}
