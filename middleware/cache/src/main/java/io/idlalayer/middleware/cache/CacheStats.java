package io.idlalayer.middleware.cache;

import java.util.List;

/**
 * Sizes and counters of the shared cache and of its owners.
 *
 * @param limitBytes the budget: the sum of all donations
 * @param regionBytes off-heap memory in use, at most the budget
 * @param payloadBytes size of all resident payloads
 * @param allocatedBytes size of all resident blocks, including the overhead of each block
 * @param metadataBytes heap memory of tables and policies, including ghosts
 */
public record CacheStats(
    long limitBytes,
    long regionBytes,
    long payloadBytes,
    long allocatedBytes,
    long metadataBytes,
    long blocks,
    long evictions,
    List<Usage> owners) {
  public CacheStats {
    owners = List.copyOf(owners);
  }

  /**
   * The donation, lookups and puts of one owner.
   *
   * @param refusals number of puts that were too large
   */
  public record Usage(
      String name, long donatedBytes, long hits, long misses, long puts, long refusals) {
    /** Returns the share of lookups that were hits; 0 before the first lookup. */
    public double hitRatio() {
      long lookups = hits + misses;
      return lookups == 0 ? 0 : (double) hits / lookups;
    }
  }
}
