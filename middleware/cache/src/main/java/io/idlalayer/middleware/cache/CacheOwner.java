package io.idlalayer.middleware.cache;

import java.util.concurrent.atomic.LongAdder;

/**
 * A user of the shared cache, such as a learner, that donates memory to the cache and can use all
 * of its memory. The cache creates its owners.
 */
public final class CacheOwner {
  private final int number;
  private final String name;
  private volatile long donatedBytes;
  final LongAdder hits = new LongAdder();
  final LongAdder misses = new LongAdder();
  final LongAdder puts = new LongAdder();
  final LongAdder refusals = new LongAdder();

  CacheOwner(int number, String name, long donatedBytes) {
    this.number = number;
    this.name = name;
    this.donatedBytes = donatedBytes;
  }

  /** Returns the number that identifies this owner in its cache. */
  public int number() {
    return number;
  }

  public String name() {
    return name;
  }

  /** Returns the bytes that this owner donates to the cache. */
  public long donatedBytes() {
    return donatedBytes;
  }

  void donatedBytes(long bytes) {
    donatedBytes = bytes;
  }

  /** Counts a miss for a block that the caller did not look up in the cache. */
  public void missed() {
    misses.increment();
  }

  /** Returns this owner's donation and its hits, misses and puts so far. */
  public CacheStats.Usage usage() {
    return new CacheStats.Usage(
        name, donatedBytes, hits.sum(), misses.sum(), puts.sum(), refusals.sum());
  }
}
