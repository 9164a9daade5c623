package io.idlalayer.datacontroller.store;

import io.idlalayer.middleware.cache.policy.Reuse;
import io.idlalayer.middleware.sample.LifeStage;
import java.util.Arrays;
import java.util.List;

/**
 * Keeps payloads of a sample store in the process's shared hot cache: the payloads of samples that
 * will train soon or are in stage Preserve. When a sample is discarded, its payload leaves the
 * cache. The payload of a sample that waits for its label is stored but not cached. A batch is read
 * from the cache first; missing payloads are read from the store in one ascending pass. Only the
 * store is durable. Confined to one thread; the cache is shared.
 */
public final class HotSampleStore implements SampleStore, AutoCloseable {
  private final SampleStore store;
  private final HotPayloads hot;
  private long reads;

  /**
   * @param hot the payloads in the cache, closed with this store
   */
  public HotSampleStore(SampleStore store, HotPayloads hot) {
    this.store = store;
    this.hot = hot;
  }

  /** Returns how many payloads were read from the store so far, because they were not cached. */
  public long reads() {
    return reads;
  }

  @Override
  public void put(long sampleId, byte[] payload, SampleMetadata metadata) {
    hot.storing(sampleId, payload, metadata.labeled());
    store.put(sampleId, payload, metadata);
    if (metadata.labeled()) {
      hot.put(sampleId, payload, Reuse.NEAR);
    } else if (hot.contains(sampleId)) {
      hot.invalidate(sampleId);
    }
  }

  @Override
  public void updateMetadata(MetadataBatch changed) {
    store.updateMetadata(changed);
    for (int i = 0; i < changed.size(); i++) {
      if (changed.metadata(i).stage() == LifeStage.DISCARD) {
        hot.invalidate(changed.id(i));
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
      byte[] payload = hot.get(ascendingIds[i]);
      if (payload == null) {
        cold[count] = ascendingIds[i];
        place[count++] = i;
      } else {
        found[i] = payload;
      }
    }
    List<byte[]> read = store.payloads(Arrays.copyOf(cold, count));
    reads += count;
    for (int i = 0; i < count; i++) {
      found[place[i]] = read.get(i);
      hot.put(cold[i], read.get(i), Reuse.UNKNOWN);
    }
    return Arrays.asList(found);
  }

  /**
   * Reads payloads that a batch will need soon into the cache.
   *
   * @return number of payloads that were read from the store
   */
  public int prefetch(long[] ascendingIds) {
    long[] ids = Arrays.stream(ascendingIds).filter(id -> !hot.contains(id)).toArray();
    List<byte[]> read = store.payloads(ids);
    reads += ids.length;
    for (int i = 0; i < ids.length; i++) {
      hot.put(ids[i], read.get(i), Reuse.NEAR);
    }
    return ids.length;
  }

  @Override
  public void remove(long[] ascendingIds) {
    store.remove(ascendingIds);
    for (long id : ascendingIds) {
      hot.removed(id);
    }
  }

  @Override
  public void forEachMetadata(MetadataVisitor visitor) {
    store.forEachMetadata(visitor);
  }

  /** Ends this store's use of the cache. */
  @Override
  public void close() {
    hot.close();
  }
}
