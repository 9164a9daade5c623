package io.idlalayer.middleware.placement;

/** Counts what a policy does. */
final class PolicyCounts {
  long prefetches;
  long evictions;
  long forcedEvictions;
  long cleanEvictions;
  long writtenBackBytes;
  long avoidedWriteBackBytes;
  long deadWriteBackBytes;
  long fallbacks;

  PolicyStats stats() {
    return new PolicyStats(
        prefetches,
        evictions,
        forcedEvictions,
        cleanEvictions,
        writtenBackBytes,
        avoidedWriteBackBytes,
        deadWriteBackBytes,
        fallbacks);
  }
}
