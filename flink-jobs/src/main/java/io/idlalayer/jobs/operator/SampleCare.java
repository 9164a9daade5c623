package io.idlalayer.jobs.operator;

import io.idlalayer.datacontroller.DataController;
import io.idlalayer.datacontroller.store.HotSampleStore;
import io.idlalayer.datacontroller.store.SampleStore;
import io.idlalayer.middleware.cache.CacheOwner;
import io.idlalayer.middleware.cache.CacheStats;
import io.idlalayer.middleware.cache.HotCache;
import java.util.Arrays;

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
  private int prefetched;

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
    prefetched = 0;
  }

  /** Goes on while a training runs; bounded work. */
  void step(DataController data) {
    if (prefetched < upcoming.length) {
      int end = Math.min(prefetched + PREFETCHED_AT_ONCE, upcoming.length);
      store.prefetch(data.stillStored(Arrays.copyOfRange(upcoming, prefetched, end)));
      prefetched = end;
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
