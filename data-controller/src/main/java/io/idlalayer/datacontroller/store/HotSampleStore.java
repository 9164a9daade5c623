package io.idlalayer.datacontroller.store;

import io.idlalayer.middleware.cache.CacheOwner;
import io.idlalayer.middleware.cache.HotCache;
import io.idlalayer.middleware.cache.policy.Reuse;
import io.idlalayer.middleware.sample.LifeStage;
import java.util.Arrays;
import java.util.List;

/**
 * Keeps payloads of a sample store in the process's shared hot cache: those of samples that will
 * train soon or are preserved; those of discarded samples leave it. A sample that waits for its
 * label is only stored. A batch is read from the cache first; the rest comes from the store in one
 * ascending pass. Only the store is durable. Confined to one thread; the cache is shared.
 */
public final class HotSampleStore implements SampleStore, AutoCloseable {
  private final SampleStore store;
  private final HotCache cache;
  private final CacheOwner owner;
  private final int space;

  /**
   * @param owner owner that donates memory to the cache and whose hits it counts; stays attached
   *     when this store is closed
   */
  public HotSampleStore(SampleStore store, HotCache cache, CacheOwner owner) {
    this.store = store;
    this.cache = cache;
    this.owner = owner;
    // Ids start anew after a restore from an older checkpoint: never meet what was cached before.
    space = cache.newSpace();
  }

  @Override
  public void put(long sampleId, byte[] payload, SampleMetadata metadata) {
    store.put(sampleId, payload, metadata);
    if (metadata.labeled()) {
      cache.put(owner, space, sampleId, payload, Reuse.NEAR);
    } else if (cache.contains(space, sampleId)) {
      cache.invalidate(space, sampleId);
    }
  }

  @Override
  public void updateMetadata(MetadataBatch changed) {
    store.updateMetadata(changed);
    for (int i = 0; i < changed.size(); i++) {
      if (changed.metadata(i).stage() == LifeStage.DISCARD) {
        cache.invalidate(space, changed.id(i));
      }
    }
  }

  @Override
  public List<byte[]> payloads(long[] ascendingIds) {
    byte[][] found = new byte[ascendingIds.length][];
    long[] cold = new long[ascendingIds.length];
    int[] place = new int[ascendingIds.length];
    int count = 0;
    for (int i = 0; i < ascendingIds.length; i++) {
      byte[] payload = cache.get(owner, space, ascendingIds[i]);
      if (payload == null) {
        cold[count] = ascendingIds[i];
        place[count++] = i;
      } else {
        found[i] = payload;
      }
    }
    List<byte[]> read = store.payloads(Arrays.copyOf(cold, count));
    for (int i = 0; i < count; i++) {
      found[place[i]] = read.get(i);
      cache.put(owner, space, cold[i], read.get(i), Reuse.UNKNOWN);
    }
    return Arrays.asList(found);
  }

  /**
   * Reads payloads into the cache that a batch will need soon.
   *
   * @return how many were read from the store
   */
  public int prefetch(long[] ascendingIds) {
    long[] ids = Arrays.stream(ascendingIds).filter(id -> !cache.contains(space, id)).toArray();
    List<byte[]> read = store.payloads(ids);
    for (int i = 0; i < ids.length; i++) {
      cache.put(owner, space, ids[i], read.get(i), Reuse.NEAR);
    }
    return ids.length;
  }

  @Override
  public void remove(long[] ascendingIds) {
    store.remove(ascendingIds);
    for (long id : ascendingIds) {
      cache.invalidate(space, id);
    }
  }

  @Override
  public void forEachMetadata(MetadataVisitor visitor) {
    store.forEachMetadata(visitor);
  }

  /** Removes this store's payloads from the cache. */
  @Override
  public void close() {
    cache.drop(space);
  }
}
