package io.idlalayer.middleware.placement.api;

/**
 * Counts of what the decisions of a policy did.
 *
 * @param prefetches objects that were copied to the fast device
 * @param evictions objects that left the fast device and kept their memory
 * @param forcedEvictions evictions that had to make room for another object
 * @param cleanEvictions evictions without a copy, because the slow region was up to date
 * @param writtenBackBytes copied to the slow device, ahead of evictions or by them
 * @param avoidedWriteBackBytes of retired objects whose slow region was missing or stale, in steps
 *     with forced evictions: bytes that a cache would have written
 * @param deadWriteBackBytes written back for objects that were retired
 * @param fallbacks objects that were made on the slow device because the fast one had no space
 * @param failedCopiesAhead copies in the background that failed or could not be made
 * @param planMismatches announced steps whose kernels were not those of the graph
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
