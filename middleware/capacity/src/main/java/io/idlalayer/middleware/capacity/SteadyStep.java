package io.idlalayer.middleware.capacity;

import io.idlalayer.middleware.capacity.bound.TrafficBound;
import io.idlalayer.middleware.memory.clock.TierModel;
import io.idlalayer.middleware.memory.clock.VirtualClock;
import io.idlalayer.middleware.memory.device.DeviceFullException;
import io.idlalayer.middleware.memory.device.DeviceKind;
import io.idlalayer.middleware.memory.device.DeviceSpec;
import io.idlalayer.middleware.memory.device.DeviceSpeed;
import io.idlalayer.middleware.memory.object.MemorySettings;
import io.idlalayer.middleware.memory.object.TieredMemory;
import io.idlalayer.middleware.placement.api.PlacementPolicy;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.engine.PlacedMemory;
import io.idlalayer.middleware.placement.engine.PlacementStats;
import io.idlalayer.middleware.placement.engine.PolicyEnvironment;
import io.idlalayer.middleware.placement.trace.HollowArena;
import io.idlalayer.middleware.placement.trace.TraceReplay;
import java.util.List;
import java.util.Optional;

/**
 * A recorded step on a fast and a slow device that need not exist: it is run under a placement
 * policy on devices without bytes, in virtual time. SIMULATED.
 *
 * @param graph step whose kernels were timed with everything in fast memory
 * @param fast speed of the fast device
 * @param slow speed of the slow device
 */
public record SteadyStep(TaskGraph graph, DeviceSpeed fast, DeviceSpeed slow) {
  /** Steps before the measured ones, in which a policy measures, plans, and comes to rest. */
  private static final int WARM_STEPS = 8;

  private static final int STEPS = 6;
  private static final long SPARE_BYTES = 1 << 20;
  private static final double NANOS_PER_SECOND = 1e9;

  /**
   * What a step costs after some steps.
   *
   * @param seconds duration of a step
   * @param slowBytes bytes that go through the slow device in a step
   */
  public record Cost(double seconds, double slowBytes) {}

  /** Returns the seconds of a step with everything in fast memory. */
  public double fastSeconds() {
    return graph.fastNanos() / NANOS_PER_SECOND;
  }

  /**
   * Runs steps under a policy.
   *
   * @param policy a policy that was not used before
   * @param fastBytes size of the fast device, above 0; rounded up to whole cache lines
   * @return the cost of a step; empty if its tensors find no place
   */
  public Optional<Cost> under(PlacementPolicy policy, long fastBytes) throws InterruptedException {
    TieredMemory memory = memory(fastBytes);
    PolicyEnvironment usual = PolicyEnvironment.of(memory);
    PolicyEnvironment environment =
        new PolicyEnvironment(usual.fast(), usual.slow(), TierModel.DEFAULT);
    try (PlacedMemory placed = new PlacedMemory(memory, policy, environment);
        TraceReplay steps = new TraceReplay(graph, placed, false, true)) {
      for (int i = 0; i < WARM_STEPS; i++) {
        steps.step();
      }
      long begin = memory.clock().nanos();
      PlacementStats before = placed.stats();
      for (int i = 0; i < STEPS; i++) {
        steps.step();
      }
      PlacementStats after = placed.stats();
      return Optional.of(
          new Cost(
              (memory.clock().nanos() - begin) / NANOS_PER_SECOND / STEPS,
              (double) (slowBytes(after, usual) - slowBytes(before, usual)) / STEPS));
    } catch (DeviceFullException full) {
      return Optional.empty();
    }
  }

  /**
   * Returns seconds that no policy can go below which moves whole tensors, at least those with
   * everything in fast memory.
   *
   * @param fastBytes size of the fast device, at least 0
   */
  public double boundSeconds(long fastBytes) {
    return TrafficBound.nanos(graph, fastBytes, slow, TierModel.DEFAULT) / NANOS_PER_SECOND;
  }

  private static long slowBytes(PlacementStats stats, PolicyEnvironment devices) {
    return stats.traffic().bytes(devices.fast(), devices.slow())
        + stats.traffic().bytes(devices.slow(), devices.fast())
        + stats.slowReadBytes()
        + stats.slowWrittenBytes();
  }

  private TieredMemory memory(long fastBytes) {
    return new TieredMemory(
        List.of(
            tier("fast", DeviceKind.FAST, fastBytes, fast),
            tier("slow", DeviceKind.SLOW, 2 * graph.peakBytes() + SPARE_BYTES, slow)),
        MemorySettings.DEFAULT,
        new VirtualClock());
  }

  private static TieredMemory.Tier tier(
      String name, DeviceKind kind, long bytes, DeviceSpeed speed) {
    long align = DeviceSpec.DEFAULT_ALIGN_BYTES;
    DeviceSpec spec = new DeviceSpec(name, kind, (bytes + align - 1) & -align, speed);
    return new TieredMemory.Tier(spec, new HollowArena(spec));
  }
}
