package io.idlalayer.jobs.events;

/**
 * Where a model's tensors were during one training, see {@code docs/memory.md}. Bytes are exact.
 *
 * @param policy that placed them
 * @param bytesFastToSlow copied from the fast to the slow device
 * @param bytesSlowToFast copied back
 * @param slowReadBytes read by kernels where they lay on the slow device
 * @param slowWrittenBytes written by kernels there
 * @param hits arguments of kernels that were on the fast device
 * @param misses arguments that were not
 * @param stallSeconds that kernels and allocations waited for copies
 * @param forcedEvictions tensors that had to leave because another needed their room
 * @param avoidedWriteBackBytes given up while only the fast device had them, or fresher
 * @param fastHighWaterBytes most bytes on the fast device so far, over all trainings of the learner
 * @param fastBytes of the fast device
 */
public record TensorUse(
    String policy,
    long bytesFastToSlow,
    long bytesSlowToFast,
    long slowReadBytes,
    long slowWrittenBytes,
    long hits,
    long misses,
    double stallSeconds,
    long forcedEvictions,
    long avoidedWriteBackBytes,
    long fastHighWaterBytes,
    long fastBytes) {}
