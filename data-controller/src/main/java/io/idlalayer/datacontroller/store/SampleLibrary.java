package io.idlalayer.datacontroller.store;

import java.util.Arrays;
import java.util.List;

/**
 * Stores samples in two places at once: in the durable {@link SampleStore} and in the heap's {@link
 * SampleIndex} over it. Only this class adds and deletes samples. Code that changes columns of the
 * index must write them to the store with {@link #write}. Confined to one thread.
 */
public final class SampleLibrary {
  private final SampleIndex index;
  private final SampleStore store;

  public SampleLibrary(SampleIndex index, SampleStore store) {
    this.index = index;
    this.store = store;
  }

  /** Adds a sample that is not stored yet. */
  public void add(long sampleId, byte[] payload, SampleMetadata metadata) {
    index.add(sampleId, metadata);
    store.put(sampleId, payload, metadata);
  }

  /** Replaces payload and metadata of a stored sample; afterwards it is in no training. */
  public void replace(long sampleId, byte[] payload, SampleMetadata metadata) {
    index.remove(index.require(sampleId));
    add(sampleId, payload, metadata);
    writeHeirs();
  }

  /** Deletes stored samples. */
  public void delete(long... ascendingIds) {
    if (ascendingIds.length == 0) {
      return;
    }
    for (long id : ascendingIds) {
      index.remove(index.require(id));
    }
    store.remove(ascendingIds);
    writeHeirs();
  }

  /** Writes the metadata of stored samples from the index to the store. */
  public void write(long... sampleIds) {
    MetadataBatch metadata = new MetadataBatch(sampleIds.length);
    for (long id : sampleIds) {
      metadata.put(id, index.metadata(index.require(id)));
    }
    store.updateMetadata(metadata);
    writeHeirs();
  }

  /** Writes the metadata of the samples that have inherited a frequency. */
  private void writeHeirs() {
    long[] heirs = Arrays.stream(index.takeHeirs()).filter(index::holds).distinct().toArray();
    if (heirs.length > 0) {
      write(heirs);
    }
  }

  /** Writes metadata that the index has returned to the store. */
  public void write(MetadataBatch changed) {
    store.updateMetadata(changed);
  }

  /** Returns the payloads of samples in the order of the ids, which ascend. */
  public List<byte[]> payloads(long[] ascendingIds) {
    return store.payloads(ascendingIds);
  }

  /** Visits the metadata of all stored samples in no particular order, to fill the index. */
  public void forEachMetadata(SampleStore.MetadataVisitor visitor) {
    store.forEachMetadata(visitor);
  }
}
