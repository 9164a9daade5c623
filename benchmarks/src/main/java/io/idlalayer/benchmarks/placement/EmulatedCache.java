package io.idlalayer.benchmarks.placement;

import io.idlalayer.benchmarks.emulation.TagStats;
import io.idlalayer.middleware.placement.api.PlacementPolicy;

/**
 * A policy that leaves all objects on the slow device, counts the accesses of a cache in front of
 * it, and has kernels take the time of these. Only the time of the kernels is that of a step.
 */
public interface EmulatedCache extends PlacementPolicy {
  /** Returns what was counted so far, in lines of {@code TwoLevelCache.LINE_BYTES}. */
  TagStats tags();
}
