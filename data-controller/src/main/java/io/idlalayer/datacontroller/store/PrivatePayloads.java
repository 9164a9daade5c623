package io.idlalayer.datacontroller.store;

import io.idlalayer.middleware.cache.CacheOwner;
import io.idlalayer.middleware.cache.HotCache;
import io.idlalayer.middleware.cache.policy.Reuse;
import org.jspecify.annotations.Nullable;

/**
 * Payloads in a key space of the hot cache that only this learner uses. The key space ends with the
 * learner.
 */
public final class PrivatePayloads implements HotPayloads {
  private final HotCache cache;
  private final CacheOwner owner;
  private final int space;

  /**
   * @param owner owner that donates memory to the cache and whose hits it counts; stays attached
   *     when this object is closed
   */
  public PrivatePayloads(HotCache cache, CacheOwner owner) {
    this.cache = cache;
    this.owner = owner;
    // After a restore from an older checkpoint, ids are used again, so a new key space is needed:
    // payloads that were cached earlier must not be found.
    space = cache.newSpace();
  }

  @Override
  public byte @Nullable [] get(long sampleId) {
    return cache.get(owner, space, sampleId);
  }

  @Override
  public boolean contains(long sampleId) {
    return cache.contains(space, sampleId);
  }

  @Override
  public void put(long sampleId, byte[] payload, Reuse reuse) {
    cache.put(owner, space, sampleId, payload, reuse);
  }

  @Override
  public void invalidate(long sampleId) {
    cache.invalidate(space, sampleId);
  }

  /** Removes this learner's payloads from the cache. */
  @Override
  public void close() {
    cache.drop(space);
  }
}
