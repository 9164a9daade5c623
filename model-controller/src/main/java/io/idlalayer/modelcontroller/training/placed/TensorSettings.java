package io.idlalayer.modelcontroller.training.placed;

import io.idlalayer.middleware.memory.DeviceKind;
import io.idlalayer.middleware.memory.DeviceSpec;
import io.idlalayer.middleware.memory.DeviceSpeed;
import io.idlalayer.middleware.memory.DirectArena;
import io.idlalayer.middleware.memory.MappedArena;
import io.idlalayer.middleware.memory.MemorySettings;
import io.idlalayer.middleware.memory.RealClock;
import io.idlalayer.middleware.memory.TieredMemory;
import io.idlalayer.middleware.placement.PlacedMemory;
import io.idlalayer.middleware.placement.PlacementName;
import io.idlalayer.middleware.placement.PolicyEnvironment;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;

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
  private static final double DRAM_BYTES_PER_SECOND = 8e9;
  private static final long SEED = 1;

  public TensorSettings {
    if (fastBytes <= 0 || slowBytes <= 0) {
      throw new IllegalArgumentException(
          "tensors in %d fast and %d slow bytes; both must be above 0"
              .formatted(fastBytes, slowBytes));
    }
  }

  @Override
  public PlacedMemory open() {
    DeviceSpeed fastSpeed = DeviceSpeed.symmetric(DRAM_BYTES_PER_SECOND, 0);
    DeviceSpec fast = new DeviceSpec("fast", DeviceKind.FAST, aligned(fastBytes), fastSpeed);
    DeviceSpec slow =
        new DeviceSpec(
            "slow", DeviceKind.SLOW, aligned(slowBytes), DeviceSpeed.slowerThan(fastSpeed));
    TieredMemory.Tier mapped =
        new TieredMemory.Tier(
            slow, new MappedArena(slow, slowDirectory, MappedArena.Options.DEFAULT));
    try {
      TieredMemory.Tier direct = new TieredMemory.Tier(fast, new DirectArena(fast));
      TieredMemory memory =
          new TieredMemory(List.of(direct, mapped), MemorySettings.DEFAULT, new RealClock());
      return new PlacedMemory(
          memory, policy.create(), PolicyEnvironment.of(memory, new SplittableRandom(SEED)));
    } catch (RuntimeException e) {
      mapped.arena().close();
      throw e;
    }
  }

  private static long aligned(long bytes) {
    return (bytes + DeviceSpec.DEFAULT_ALIGN_BYTES - 1) & -DeviceSpec.DEFAULT_ALIGN_BYTES;
  }
}
