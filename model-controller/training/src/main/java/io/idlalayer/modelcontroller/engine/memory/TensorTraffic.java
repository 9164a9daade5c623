package io.idlalayer.modelcontroller.engine.memory;

import io.idlalayer.middleware.memory.device.DeviceId;
import io.idlalayer.middleware.memory.device.DeviceSpeed;
import io.idlalayer.middleware.placement.engine.PlacementStats;

/**
 * What placing the tensors of one update took.
 *
 * @param kernels that ran
 * @param slowToFastBytes copied to the fast device
 * @param fastToSlowBytes copied to the slow device
 * @param fastUses arguments that were on the fast device when their kernel ran
 * @param slowUses arguments that were not
 * @param slowReadBytes read by kernels where they lay on the slow device
 * @param slowWrittenBytes written by kernels there
 * @param stallNanos spent before kernels and in allocations, mostly on copies
 * @param computeNanos spent in kernels
 * @param forcedEvictions objects that had to leave the fast device for others
 * @param avoidedWriteBackBytes of retired objects that a cache would have written back
 * @param highWaterBytes most that ever lay on the fast device, since the memory was opened
 * @param fastBytes that may lie there
 * @param slowHighWaterBytes most that ever lay on the slow device, since the memory was opened
 * @param slowBytes that may lie there
 * @param slowSpeed of the slow device, as copies from and to the fast one found it so far
 */
public record TensorTraffic(
    long kernels,
    long slowToFastBytes,
    long fastToSlowBytes,
    long fastUses,
    long slowUses,
    long slowReadBytes,
    long slowWrittenBytes,
    long stallNanos,
    long computeNanos,
    long forcedEvictions,
    long avoidedWriteBackBytes,
    long highWaterBytes,
    long fastBytes,
    long slowHighWaterBytes,
    long slowBytes,
    DeviceSpeed slowSpeed) {

  /** What happened between two looks at a memory. */
  public static TensorTraffic between(
      PlacementStats before, PlacementStats after, DeviceId fast, DeviceId slow) {
    return new TensorTraffic(
        after.kernels() - before.kernels(),
        after.traffic().bytes(slow, fast) - before.traffic().bytes(slow, fast),
        after.traffic().bytes(fast, slow) - before.traffic().bytes(fast, slow),
        after.fastUses() - before.fastUses(),
        after.slowUses() - before.slowUses(),
        after.slowReadBytes() - before.slowReadBytes(),
        after.slowWrittenBytes() - before.slowWrittenBytes(),
        after.stallNanos() - before.stallNanos(),
        after.computeNanos() - before.computeNanos(),
        after.policy().forcedEvictions() - before.policy().forcedEvictions(),
        after.policy().avoidedWriteBackBytes() - before.policy().avoidedWriteBackBytes(),
        after.fast().highWaterBytes(),
        after.fast().budgetBytes(),
        after.slow().highWaterBytes(),
        after.slow().budgetBytes(),
        after.slowSpeed());
  }
}
