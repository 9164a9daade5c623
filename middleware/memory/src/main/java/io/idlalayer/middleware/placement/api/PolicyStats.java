package io.idlalayer.middleware.placement.api;

/**
 * What was done by decisions of a policy.
 *
 * @param prefetches objects that were copied to the fast device
 * @param evictions objects that left the fast device alive
 * @param forcedEvictions of these, those that had to make room for something else
 * @param cleanEvictions of these, those whose slow twin was up to date, so that nothing was copied
 * @param writtenBackBytes copied from fast to slow, ahead of evictions or by them
 * @param avoidedWriteBackBytes of retired objects whose slow bytes were missing or stale, in steps
 *     in which something had to leave: what a cache would have written
 * @param deadWriteBackBytes written back for objects that their owner had retired before
 * @param fallbacks allocations on the slow device that were wanted on the fast one
 * @param failedCopiesAhead copies in the background that failed, or that nothing came of
 * @param planMismatches steps whose kernels were not those of the graph that was announced
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
