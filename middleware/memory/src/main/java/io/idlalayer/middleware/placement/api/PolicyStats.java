package io.idlalayer.middleware.placement.api;

/**
 * Counts of the copies and evictions that a policy's actions caused.
 *
 * @param prefetches number of objects copied to the fast device
 * @param evictions number of objects that left the fast device and kept their memory
 * @param forcedEvictions number of evictions that had to make room for another object
 * @param cleanEvictions number of evictions without a copy, because the slow region was up to date
 * @param writtenBackBytes bytes copied to the slow device, before or during evictions
 * @param avoidedWriteBackBytes bytes of retired objects whose slow region was missing or stale, in
 *     steps with forced evictions: a cache would have written them
 * @param deadWriteBackBytes bytes written back for objects that were then retired
 * @param fallbacks number of objects created on the slow device because the fast one had no space
 * @param failedCopiesAhead number of background copies that failed or could not be started
 * @param planMismatches number of announced steps whose kernels differed from the graph
 */
public record PolicyStats(
    long prefetches,
    long evictions,
    long forcedEvictions,
    long cleanEvictions,
    long writtenBackBytes,
    long avoidedWriteBackBytes,
    long deadWriteBackBytes,
    long fallbacks,
    long failedCopiesAhead,
    long planMismatches) {}
