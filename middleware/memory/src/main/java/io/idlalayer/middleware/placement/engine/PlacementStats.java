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
    DeviceSpeed slowSpeed) {}
