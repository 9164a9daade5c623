package io.idlalayer.benchmarks.tensors;

import io.idlalayer.benchmarks.emulation.InjectClock;
import io.idlalayer.middleware.memory.clock.ClockKind;
import io.idlalayer.middleware.memory.clock.MemoryClock;
import io.idlalayer.middleware.memory.clock.RealClock;
import io.idlalayer.middleware.memory.clock.VirtualClock;
import io.idlalayer.middleware.memory.device.Arena;
import io.idlalayer.middleware.memory.device.ArenaPlaces;
import io.idlalayer.middleware.memory.device.DeviceKind;
import io.idlalayer.middleware.memory.device.DeviceProbe;
import io.idlalayer.middleware.memory.device.DeviceProfile;
import io.idlalayer.middleware.memory.device.DeviceSpec;
import io.idlalayer.middleware.memory.device.DeviceSpeed;
import io.idlalayer.middleware.memory.device.DirectArena;
import io.idlalayer.middleware.memory.device.FileAccess;
import io.idlalayer.middleware.memory.object.MemorySettings;
import io.idlalayer.middleware.memory.object.TieredMemory;
import io.idlalayer.middleware.placement.api.PlacementPolicy;
import io.idlalayer.middleware.placement.engine.PlacedMemory;
import io.idlalayer.middleware.placement.engine.PolicyEnvironment;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;

/**
 * A fast and a slow device, which are acquired and measured once, and then used for one memory
 * after another.
 */
final class Devices implements AutoCloseable {

  /**
   * Least number of bytes for a measurement of DRAM; fewer bytes would stay in the processor's
   * cache.
   */
  private static final long PROBED_BYTES = 512L << 20;

  private final ClockKind clock;
  private final int slowAlignBytes;
  private final Arena fastArena;
  private final Arena slowArena;
  private final DeviceProfile fast;
  private final DeviceProfile slow;
  private final DeviceSpeed slowSpeed;

  /**
   * @param fastBytes largest number of fast bytes that a memory can get
   * @param slowBytes size of the slow device in bytes
   * @param slowDirectory directory of the slow device's file
   * @param slowAccess way to access this file
   * @param probe whether fast memory is measured with more bytes than the processor's cache has,
   *     even if {@code fastBytes} is smaller
   */
  Devices(
      ClockKind clock,
      long fastBytes,
      long slowBytes,
      Path slowDirectory,
      FileAccess slowAccess,
      boolean probe) {
    this.clock = clock;
    slowAlignBytes = slowAccess.alignBytes();
    DeviceSpeed unknown = DeviceSpeed.symmetric(1, 0);
    DeviceSpec fastSpec = new DeviceSpec("fast", DeviceKind.FAST, fastBytes, unknown);
    long wholeBytes = (slowBytes + slowAlignBytes - 1) & -slowAlignBytes;
    DeviceSpec slowSpec =
        new DeviceSpec("slow", DeviceKind.SLOW, wholeBytes, slowAlignBytes, unknown);
    slowArena = slowAccess.open(slowSpec, slowDirectory);
    fastArena = new DirectArena(fastSpec);
    fast = probed(fastSpec, fastArena, probe);
    slow = DeviceProfile.measure(slowSpec, slowArena, DeviceProbe.DEFAULT);
    slowSpeed = clock == ClockKind.REAL ? slow.speed() : DeviceSpeed.slowerThan(fast.speed());
  }

  private static DeviceProfile probed(DeviceSpec spec, Arena arena, boolean beyondCache) {
    DeviceProfile own = DeviceProfile.measure(spec, arena, DeviceProbe.DEFAULT);
    if (!beyondCache || spec.capacityBytes() >= PROBED_BYTES) {
      return own;
    }
    DeviceSpec large = new DeviceSpec(spec.name(), spec.kind(), PROBED_BYTES, spec.speed());
    try (Arena whole = new DirectArena(large)) {
      DeviceProbe.Result measured = DeviceProbe.DEFAULT.measure(whole);
      return new DeviceProfile(own.name(), own.kind(), own.capacityBytes(), own.medium(), measured);
    }
  }

  DeviceProfile fast() {
    return fast;
  }

  /**
   * Returns the measured profile of the slow device. With a clock that emulates or computes, the
   * device behaves as if it had the speed {@link #slowSpeed}.
   */
  DeviceProfile slow() {
    return slow;
  }

  DeviceSpeed slowSpeed() {
    return slowSpeed;
  }

  /** Opens an empty memory on the devices. */
  PlacedMemory open(PlacementPolicy policy, long fastBytes) {
    DeviceSpec fastSpec = new DeviceSpec("fast", DeviceKind.FAST, fastBytes, fast.speed());
    DeviceSpec slowSpec =
        new DeviceSpec(
            "slow", DeviceKind.SLOW, slowArena.capacityBytes(), slowAlignBytes, slowSpeed);
    TieredMemory memory =
        new TieredMemory(
            List.of(
                new TieredMemory.Tier(fastSpec, new Lent(fastArena, fastBytes)),
                new TieredMemory.Tier(slowSpec, new Lent(slowArena, slowSpec.capacityBytes()))),
            MemorySettings.DEFAULT,
            newClock());
    return new PlacedMemory(memory, policy, PolicyEnvironment.of(memory));
  }

  private MemoryClock newClock() {
    return switch (clock) {
      case REAL -> new RealClock();
      case INJECT -> new InjectClock();
      case VIRTUAL -> new VirtualClock();
    };
  }

  @Override
  public void close() {
    fastArena.close();
    slowArena.close();
  }

  /** The first bytes of an arena. Closing this object does not close the arena. */
  private record Lent(Arena arena, long capacityBytes) implements Arena {
    @Override
    public long pieceBytes() {
      return Math.min(arena.pieceBytes(), capacityBytes);
    }

    @Override
    public ByteBuffer view(long offset, int bytes) {
      return arena.view(offset, bytes);
    }

    @Override
    public ArenaPlaces places() {
      return arena.places().anyDirect()
          ? ArenaPlaces.single(capacityBytes)
          : ArenaPlaces.copied(capacityBytes);
    }

    @Override
    public int put(long offset, ByteBuffer source) {
      return arena.put(offset, source);
    }

    @Override
    public void get(long offset, ByteBuffer target) {
      arena.get(offset, target);
    }

    @Override
    public void discard(long offset, long bytes) {
      arena.discard(offset, bytes);
    }

    @Override
    public String description() {
      return arena.description();
    }

    @Override
    public void close() {
      arena.discard(0, capacityBytes);
    }
  }
}
