package io.idlalayer.datacontroller.store;

import io.idlalayer.middleware.cache.policy.Reuse;
import org.jspecify.annotations.Nullable;

/**
 * The payloads of one learner in the hot cache of its process, by sample id. Confined to one
 * thread; the cache is shared.
 */
public interface HotPayloads extends AutoCloseable {
  /**
   * Called before a payload is stored with its sample's metadata.
   *
   * @param cached whether the payload will also be put into the cache
   */
  default void storing(long sampleId, byte[] payload, boolean cached) {}

  /** Called after a sample was removed from the store. */
  default void removed(long sampleId) {
    invalidate(sampleId);
  }

  /**
   * Returns a copy of a payload, or null if the cache does not contain it. The call counts as a
   * lookup.
   */
  byte @Nullable [] get(long sampleId);

  /** Returns whether the cache contains a payload. The call does not count as a lookup. */
  boolean contains(long sampleId);

  /** Puts a copy of a payload that was stored or read into the cache, if there is space for it. */
  void put(long sampleId, byte[] payload, Reuse reuse);

  /** Removes a payload from the cache, if it is in the cache. */
  void invalidate(long sampleId);

  /** Ends the learner's use of the cache. */
  @Override
  void close();
}
