package io.idlalayer.modelcontroller.engine.memory;

import io.idlalayer.middleware.memory.device.DeviceId;
import io.idlalayer.middleware.memory.device.DeviceSpeed;
import io.idlalayer.middleware.placement.api.PlanUse;
import io.idlalayer.middleware.placement.engine.PlacementStats;
import org.jspecify.annotations.Nullable;

/**
 * The traffic of tensors between the devices during one update, and the time that it took.
 *
 * @param kernels number of kernels that ran
 * @param slowToFastBytes bytes copied to the fast device
 * @param fastToSlowBytes bytes copied to the slow device
 * @param fastUses number of kernel arguments on the fast device
 * @param slowUses number of kernel arguments on the slow device
 * @param slowReadBytes bytes that kernels read directly on the slow device
 * @param slowWrittenBytes bytes that kernels wrote directly on the slow device
 * @param stallNanos time of waiting before kernels and in allocations, mostly for copies, in
 *     nanoseconds
 * @param computeNanos time spent in kernels
 * @param forcedEvictions number of objects evicted from the fast device to make room for others
 * @param avoidedWriteBackBytes bytes of retired objects that were not written back, although a
 *     cache would have written them back
 * @param highWaterBytes most bytes in use on the fast device since the memory was opened
 * @param fastBytes limit of the fast device
 * @param slowHighWaterBytes most bytes in use on the slow device since the memory was opened
 * @param slowBytes limit of the slow device
 * @param slowSpeed speed of the slow device, as measured by the copies so far
 * @param plan how the policy uses plans; null if the policy plans no steps
 * @param lent use of memory of other processes, since the devices were acquired; null if no memory
 *     is borrowed
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
    DeviceSpeed slowSpeed,
    @Nullable PlanUse plan,
    @Nullable LentPlaces lent) {

  /**
   * Returns the traffic of a memory between two times, from its statistics at both.
   *
   * @param plan how the policy uses plans; null if it plans no steps
   * @param lent memory of other processes; null if no memory is borrowed
   */
  public static TensorTraffic between(
      PlacementStats before,
      PlacementStats after,
      DeviceId fast,
      DeviceId slow,
      @Nullable PlanUse plan,
      @Nullable LentPlaces lent) {
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
        after.slowSpeed(),
        plan,
        lent);
  }
}
