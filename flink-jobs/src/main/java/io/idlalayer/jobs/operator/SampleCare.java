package io.idlalayer.jobs.operator;

import io.idlalayer.datacontroller.DataController;
import io.idlalayer.datacontroller.store.HotSampleStore;
import io.idlalayer.datacontroller.store.SampleStore;
import io.idlalayer.middleware.cache.CacheOwner;
import io.idlalayer.middleware.cache.CacheStats;
import io.idlalayer.middleware.cache.HotCache;

/**
 * Where a learner's samples are kept: its durable store behind the hot cache of the process. While
 * a training runs, payloads that the next one will replay are brought into the cache, a few at a
 * time.
 */
final class SampleCare implements AutoCloseable {
  private static final int PREFETCHED_AT_ONCE = 128;

  private final HotCache cache;
  private final CacheOwner owner;
  private final HotSampleStore store;
  private long[] upcoming = {};
  private boolean prefetching;

  /**
   * @param donateBytes what the learner gives to the cache, or less if its ceiling is near
   */
  SampleCare(SampleStore durable, HotCache cache, String name, long donateBytes) {
    this.cache = cache;
    owner = cache.attachUpTo(name, donateBytes);
    store = new HotSampleStore(durable, cache, owner);
  }

  SampleStore store() {
    return store;
  }

  /** A training has started: finds out what the next one will replay. */
  void trainingStarted(DataController data, long nextUpdate) {
    upcoming = data.upcoming(nextUpdate);
    prefetching = upcoming.length > 0;
  }

  /** Goes on while a training runs; bounded work. */
  void step(DataController data) {
    if (prefetching) {
      prefetching =
          store.prefetch(data.stillStored(upcoming), PREFETCHED_AT_ONCE) == PREFETCHED_AT_ONCE;
    }
  }

  /** What the learner did with the cache so far. */
  CacheStats.Usage usage() {
    return owner.usage();
  }

  @Override
  public void close() {
    store.close();
    cache.detach(owner);
  }
}
