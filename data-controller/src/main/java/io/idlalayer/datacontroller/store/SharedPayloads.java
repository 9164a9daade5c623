package io.idlalayer.datacontroller.store;

import io.idlalayer.middleware.cache.CacheOwner;
import io.idlalayer.middleware.cache.policy.Reuse;
import io.idlalayer.middleware.cache.shared.PayloadDigest;
import io.idlalayer.middleware.cache.shared.SharedHotCache;
import org.jspecify.annotations.Nullable;

/**
 * Payloads in a cache that other learners and processes read and that survives this process. The
 * key of a payload is the digest of its bytes. A payload can be found if its digest is known: the
 * digest is computed when the payload is stored or read, and after a restart it is read from the
 * store with the sample's metadata.
 */
public final class SharedPayloads implements HotPayloads {
  private final SharedHotCache cache;
  private final CacheOwner owner;
  private final PayloadDigests digests;

  /** The payload that was hashed last, which is often put into the cache next. */
  private byte @Nullable [] hashed;

  private @Nullable PayloadDigest ofHashed;

  /**
   * @param owner owner that donates memory to the cache and whose hits it counts; stays attached
   *     when this object is closed
   * @param digests digests of the learner's payloads, which its store keeps with the metadata
   */
  public SharedPayloads(SharedHotCache cache, CacheOwner owner, PayloadDigests digests) {
    this.cache = cache;
    this.owner = owner;
    this.digests = digests;
  }

  @Override
  public void storing(long sampleId, byte[] payload, boolean cached) {
    PayloadDigest digest = cached ? digest(payload) : null;
    PayloadDigest before = digests.get(sampleId);
    if (before != null && !before.equals(digest)) {
      cache.invalidate(before);
    }
    if (digest == null) {
      digests.remove(sampleId);
    } else {
      digests.put(sampleId, digest);
    }
  }

  private PayloadDigest digest(byte[] payload) {
    PayloadDigest known = ofHashed;
    if (known == null || payload != hashed) {
      known = PayloadDigest.of(payload);
      hashed = payload;
      ofHashed = known;
    }
    return known;
  }

  @Override
  public void removed(long sampleId) {
    invalidate(sampleId);
    digests.remove(sampleId);
  }

  @Override
  public byte @Nullable [] get(long sampleId) {
    PayloadDigest digest = digests.get(sampleId);
    if (digest == null) {
      owner.missed();
      return null;
    }
    return cache.get(owner, digest);
  }

  @Override
  public boolean contains(long sampleId) {
    PayloadDigest digest = digests.get(sampleId);
    return digest != null && cache.contains(digest);
  }

  @Override
  public void put(long sampleId, byte[] payload, Reuse reuse) {
    PayloadDigest digest = digest(payload);
    digests.put(sampleId, digest);
    cache.put(owner, digest, payload, reuse);
  }

  @Override
  public void invalidate(long sampleId) {
    PayloadDigest digest = digests.get(sampleId);
    if (digest != null) {
      cache.invalidate(digest);
    }
  }

  /** Leaves the payloads in the cache, for other learners and for the next process. */
  @Override
  public void close() {
    // The cache belongs to the process.
  }
}
