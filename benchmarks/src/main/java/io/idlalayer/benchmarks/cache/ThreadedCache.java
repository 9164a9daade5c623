package io.idlalayer.benchmarks.cache;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.idlalayer.middleware.cache.CacheOwner;
import io.idlalayer.middleware.cache.CacheSettings;
import io.idlalayer.middleware.cache.HotCache;
import io.idlalayer.middleware.cache.policy.PolicyName;
import io.idlalayer.middleware.cache.policy.Reuse;

/** A cache that threads share; payloads are copied in and out. */
interface ThreadedCache extends AutoCloseable {
  /** Copies a payload. False if it is not resident. */
  boolean get(long key, byte[] into);

  /** Keeps a copy of a payload. */
  void put(long key, byte[] payload);

  /** Resident entries. */
  long size();

  @Override
  void close();

  /** The hot cache with the adaptive policy. */
  static ThreadedCache hot(long bytes) {
    HotCache cache = new HotCache(new CacheSettings(bytes, PolicyName.ADAPTIVE));
    CacheOwner owner = cache.attach("threads", bytes);
    return new ThreadedCache() {
      @Override
      public boolean get(long key, byte[] into) {
        return cache.get(owner, 0, key, into) >= 0;
      }

      @Override
      public void put(long key, byte[] payload) {
        cache.put(owner, 0, key, payload, Reuse.UNKNOWN);
      }

      @Override
      public long size() {
        return cache.stats().blocks();
      }

      @Override
      public void close() {
        cache.close();
      }
    };
  }

  /** Caffeine, its maintenance on the calling threads. */
  static ThreadedCache caffeine(long entries) {
    Cache<Long, byte[]> cache =
        Caffeine.newBuilder().maximumSize(entries).executor(Runnable::run).build();
    return new ThreadedCache() {
      @Override
      public boolean get(long key, byte[] into) {
        byte[] payload = cache.getIfPresent(key);
        if (payload == null) {
          return false;
        }
        System.arraycopy(payload, 0, into, 0, payload.length);
        return true;
      }

      @Override
      public void put(long key, byte[] payload) {
        cache.put(key, payload.clone());
      }

      @Override
      public long size() {
        return cache.estimatedSize();
      }

      @Override
      public void close() {
        cache.invalidateAll();
      }
    };
  }
}
