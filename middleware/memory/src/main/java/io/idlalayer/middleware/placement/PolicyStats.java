package io.idlalayer.middleware.placement;

/**
 * What a policy did, since it was attached.
 *
 * @param prefetches objects that were copied to the fast device
 * @param evictions objects that left the fast device alive
 * @param forcedEvictions of these, those that had to make room for something else
 * @param cleanEvictions of these, those whose slow twin was up to date, so that nothing was copied
 * @param writtenBackBytes copied from fast to slow, ahead of evictions or by them
 * @param avoidedWriteBackBytes of retired objects whose slow bytes were missing or stale: what a
 *     cache would have written
 * @param deadWriteBackBytes written back for objects that their owner had retired before
 * @param fallbacks allocations on the slow device that were wanted on the fast one
 */
public record PolicyStats(
    long prefetches,
    long evictions,
    long forcedEvictions,
    long cleanEvictions,
    long writtenBackBytes,
    long avoidedWriteBackBytes,
    long deadWriteBackBytes,
    long fallbacks) {
  /** Nothing was done. */
  public static final PolicyStats NONE = new PolicyStats(0, 0, 0, 0, 0, 0, 0, 0);
}
