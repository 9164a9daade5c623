package io.idlalayer.middleware.placement.engine;

import io.idlalayer.middleware.memory.copy.Traffic;
import io.idlalayer.middleware.memory.device.DeviceSpeed;
import io.idlalayer.middleware.memory.device.DeviceUse;
import io.idlalayer.middleware.placement.api.PolicyStats;
import io.idlalayer.middleware.placement.api.Reason;
import java.util.Map;

/**
 * Counts of the kernels that ran, of where their arguments were, and of the copies made for them.
 *
 * @param kernels number of kernels that ran
 * @param fastUses arguments that were on the fast device when their kernel ran
 * @param slowUses arguments that were on the slow device when their kernel ran
 * @param slowReadBytes read by kernels on the slow device
 * @param slowWrittenBytes written by kernels on the slow device
 * @param stallNanos spent before kernels and in allocations, mostly on copies
 * @param computeNanos spent in kernels
 * @param policy counters of the effects of the policy's decisions
 * @param actions numbers and times of the policy's actions, for each reason that it gave
 * @param traffic copies between devices
 * @param fast use of the fast device
 * @param slow use of the slow device
 * @param slowSpeed speed of the slow device, corrected by the durations of copies
 */
public record PlacementStats(
    long kernels,
    long fastUses,
    long slowUses,
    long slowReadBytes,
    long slowWrittenBytes,
    long stallNanos,
    long computeNanos,
    PolicyStats policy,
    Map<Reason, ActionCost> actions,
    Traffic traffic,
    DeviceUse fast,
    DeviceUse slow,
    DeviceSpeed slowSpeed) {
  /**
   * Number and times of the actions that a policy took for one reason.
   *
   * @param done number of actions that were carried out
   * @param refused number of actions that were not carried out: no space, object in use, or nothing
   *     to do
   * @param expectedNanos time that the policy expected for the actions that were carried out
   * @param nanos time that they took by the memory's clock. A copy in the background counts from
   *     its request to its end, with its wait for other copies. An action that waits for such a
   *     copy counts that wait as well.
   */
  public record ActionCost(long done, long refused, long expectedNanos, long nanos) {
    /** Cost before any action: all counts are 0. */
    public static final ActionCost NONE = new ActionCost(0, 0, 0, 0);

    /** Returns the sum of this cost and another one. */
    public ActionCost plus(ActionCost other) {
      return new ActionCost(
          done + other.done,
          refused + other.refused,
          expectedNanos + other.expectedNanos,
          nanos + other.nanos);
    }

    /** Returns this cost less an earlier one, that is, what was added since. */
    public ActionCost since(ActionCost earlier) {
      return new ActionCost(
          done - earlier.done,
          refused - earlier.refused,
          expectedNanos - earlier.expectedNanos,
          nanos - earlier.nanos);
    }
  }
}
