package io.idlalayer.datacontroller.store;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A store that writes changed metadata of samples later, many at a time. An update changes the
 * metadata of all samples that it trains, and the next updates train most of these samples again.
 * Payloads, new samples and removals are written at once. {@link #write} must be called before the
 * store is copied; until then only the heap has the changes. Confined to one thread.
 *
 * <p>If a write fails, the exception comes from the call that has written, and changes that were
 * not written are kept.
 */
public final class DeferredMetadata implements SampleStore {
  /**
   * Largest number of samples whose metadata are not written yet; they take about 2 MB of the heap.
   */
  static final int MOST_WAITING = 8_192;

  private final SampleStore store;

  /** By ascending identifiers, the order in which stores write fastest. */
  private final SortedMap<Long, SampleMetadata> waiting = new TreeMap<>();

  public DeferredMetadata(SampleStore store) {
    this.store = store;
  }

  /** Writes all changes so far to the store. */
  public void write() {
    if (waiting.isEmpty()) {
      return;
    }
    MetadataBatch batch = new MetadataBatch(waiting.size());
    waiting.forEach(batch::put);
    store.updateMetadata(batch);
    waiting.clear();
  }

  @Override
  public void put(long sampleId, byte[] payload, SampleMetadata metadata) {
    store.put(sampleId, payload, metadata);
    waiting.remove(sampleId);
  }

  @Override
  public void updateMetadata(MetadataBatch changed) {
    for (int i = 0; i < changed.size(); i++) {
      waiting.put(changed.id(i), changed.metadata(i));
      if (waiting.size() > MOST_WAITING) {
        write();
      }
    }
  }

  @Override
  public List<byte[]> payloads(long[] ascendingIds) {
    return store.payloads(ascendingIds);
  }

  @Override
  public void remove(long[] ascendingIds) {
    store.remove(ascendingIds);
    for (long id : ascendingIds) {
      waiting.remove(id);
    }
  }

  @Override
  public void forEachMetadata(MetadataVisitor visitor) {
    write();
    store.forEachMetadata(visitor);
  }
}
