package io.idlalayer.modelcontroller.training.placed;

/**
 * What placing the tensors of one update took.
 *
 * @param kernels that ran
 * @param slowToFastBytes copied to the fast device
 * @param fastToSlowBytes copied to the slow device
 * @param fastUses arguments that were on the fast device when their kernel ran
 * @param slowUses arguments that were not
 * @param stallNanos spent before kernels and in allocations, mostly on copies
 * @param computeNanos spent in kernels
 * @param forcedEvictions objects that had to leave the fast device for others
 * @param avoidedWriteBackBytes of retired objects that a cache would have written back
 * @param highWaterBytes most that ever lay on the fast device, since the memory was opened
 */
public record TensorTraffic(
    long kernels,
    long slowToFastBytes,
    long fastToSlowBytes,
    long fastUses,
    long slowUses,
    long stallNanos,
    long computeNanos,
    long forcedEvictions,
    long avoidedWriteBackBytes,
    long highWaterBytes) {}
