package io.idlalayer.modelcontroller.engine.memory;

import io.idlalayer.middleware.memory.clock.VirtualClock;
import io.idlalayer.middleware.memory.device.DeviceFullException;
import io.idlalayer.middleware.memory.device.DeviceKind;
import io.idlalayer.middleware.memory.device.DeviceSpec;
import io.idlalayer.middleware.memory.device.DeviceSpeed;
import io.idlalayer.middleware.memory.object.MemorySettings;
import io.idlalayer.middleware.memory.object.TieredMemory;
import io.idlalayer.middleware.placement.PlacementName;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.engine.PlacedMemory;
import io.idlalayer.middleware.placement.engine.PolicyEnvironment;
import io.idlalayer.middleware.placement.trace.HollowArena;
import io.idlalayer.middleware.placement.trace.TraceReplay;
import java.util.List;
import java.util.Optional;

/**
 * Finds out before a training whether there is space for its tensors: the rehearsal runs a few
 * steps under the placement policy, in virtual time, without kernels and on devices without bytes.
 * Real devices with other speeds can lead to other placements, so the result can be wrong if only a
 * few bytes are missing.
 */
public final class TensorRehearsal {
  /**
   * Number of training steps of a rehearsal; later steps would repeat the placements of these
   * steps.
   */
  private static final int STEPS = 3;

  private static final DeviceSpeed DRAM = DeviceSpeed.symmetric(1e10, 100);

  /** Required bytes are rounded up to a multiple of this number. */
  private static final long ROUNDED_BYTES = 1L << 16;

  /**
   * The required bytes divided by this number are added as spare bytes, because tensors that are
   * placed in another order leave gaps.
   */
  private static final long SPARE_SHARE = 8;

  private final TaskGraph step;
  private final PlacementName policy;
  private final int slowAlignBytes;
  private final boolean accessible;

  /**
   * The device that is too small for a training, and the bytes that it needs at least.
   *
   * @param device the device that has too few bytes
   * @param leastBytes bytes that the device needs, with an eighth to spare
   */
  public record Shortage(DeviceKind device, long leastBytes) {}

  private TensorRehearsal(TaskGraph step, TensorSettings settings) {
    this.step = step;
    policy = settings.policy();
    slowAlignBytes = settings.slowAlignBytes();
    accessible = settings.access().byLoadsAndStores();
  }

  /**
   * Returns the device that is too small for a training; empty if there is space for its tensors.
   *
   * @param step graph of the step that a training repeats
   * @param settings settings of one training
   */
  public static Optional<Shortage> shortage(TaskGraph step, TensorSettings settings)
      throws InterruptedException {
    TensorRehearsal rehearsal = new TensorRehearsal(step, settings);
    long fast = settings.fastBytes();
    long slow = settings.slowBytes();
    if (rehearsal.succeeds(fast, slow)) {
      return Optional.empty();
    }
    // Space for a copy of all tensors, and the same space again for gaps.
    long ample = 2 * step.peakBytes() + ROUNDED_BYTES;
    return Optional.of(
        rehearsal.succeeds(fast, ample)
            ? new Shortage(DeviceKind.SLOW, rehearsal.least(ample, false, fast))
            : new Shortage(DeviceKind.FAST, rehearsal.least(ample, true, slow)));
  }

  /**
   * Returns the fewest fast bytes with which a training has space for its tensors, with an eighth
   * to spare.
   *
   * @param step graph of the step that a training repeats
   * @param settings settings of one training; their number of fast bytes is ignored
   */
  public static long leastFastBytes(TaskGraph step, TensorSettings settings)
      throws InterruptedException {
    long ample = 2 * step.peakBytes() + ROUNDED_BYTES;
    return new TensorRehearsal(step, settings).least(ample, true, settings.slowBytes());
  }

  /**
   * Returns the least bytes of one device with which a training has space, for given bytes of the
   * other device.
   */
  private long least(long ample, boolean ofFast, long other) throws InterruptedException {
    long enough = rounded(ample);
    long tooFew = 0;
    while (enough - tooFew > ROUNDED_BYTES) {
      long tried = rounded(tooFew + (enough - tooFew) / 2);
      if (ofFast ? succeeds(tried, other) : succeeds(other, tried)) {
        enough = tried;
      } else {
        tooFew = tried;
      }
    }
    return rounded(enough + enough / SPARE_SHARE);
  }

  private static long rounded(long bytes) {
    return (bytes + ROUNDED_BYTES - 1) / ROUNDED_BYTES * ROUNDED_BYTES;
  }

  private boolean succeeds(long fastBytes, long slowBytes) throws InterruptedException {
    TieredMemory memory = memory(fastBytes, slowBytes);
    try (PlacedMemory placed =
            new PlacedMemory(memory, policy.unplanned(), PolicyEnvironment.of(memory));
        TraceReplay replay = new TraceReplay(step, placed, false, true)) {
      for (int i = 0; i < STEPS; i++) {
        replay.step();
      }
      return true;
    } catch (DeviceFullException full) {
      return false;
    }
  }

  private TieredMemory memory(long fastBytes, long slowBytes) {
    DeviceSpeed far = DeviceSpeed.slowerThan(DRAM);
    return new TieredMemory(
        List.of(
            tier(
                new Tier("fast", DeviceKind.FAST, DeviceSpec.DEFAULT_ALIGN_BYTES, DRAM, true),
                fastBytes),
            tier(new Tier("slow", DeviceKind.SLOW, slowAlignBytes, far, accessible), slowBytes)),
        MemorySettings.DEFAULT,
        new VirtualClock());
  }

  /**
   * A device of the rehearsal, without its size.
   *
   * @param accessible whether kernels access its bytes by loads and stores
   */
  private record Tier(
      String name, DeviceKind kind, int alignBytes, DeviceSpeed speed, boolean accessible) {}

  private static TieredMemory.Tier tier(Tier tier, long bytes) {
    long aligned = MeasuredDevices.aligned(bytes, tier.alignBytes());
    DeviceSpec spec =
        new DeviceSpec(tier.name(), tier.kind(), aligned, tier.alignBytes(), tier.speed());
    return new TieredMemory.Tier(
        spec, tier.accessible() ? new HollowArena(spec) : HollowArena.copied(spec));
  }
}
