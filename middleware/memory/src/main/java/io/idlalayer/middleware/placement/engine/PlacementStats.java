package io.idlalayer.middleware.placement.engine;

import io.idlalayer.middleware.memory.copy.Traffic;
import io.idlalayer.middleware.memory.device.DeviceSpeed;
import io.idlalayer.middleware.memory.device.DeviceUse;
import io.idlalayer.middleware.placement.api.PolicyStats;
import io.idlalayer.middleware.placement.api.Reason;
import java.util.Map;

/**
 * What a placement did to the kernels that ran in it.
 *
 * @param kernels that ran
 * @param fastUses arguments that were on the fast device when their kernel ran
 * @param slowUses arguments that were not
 * @param slowReadBytes read by kernels where they lay on the slow device
 * @param slowWrittenBytes written by kernels there
 * @param stallNanos spent before kernels and in allocations, mostly on copies
 * @param computeNanos spent in kernels
 * @param policy what its decisions did
 * @param actions what its actions took, by the reason that it gave; none of a reason without any
 * @param traffic copies between devices
 * @param fast how full the fast device is and was
 * @param slow the same of the slow device
 * @param slowSpeed the slow device's, as copies from and to the fast one found it
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
