package io.idlalayer.datacontroller.store;

import java.util.Arrays;

/**
 * New metadata of several samples, ascending by id, each sample once. Filling the batch in this
 * order is fastest; entries in another order are sorted when the batch is read. Confined to one
 * thread.
 */
public final class MetadataBatch {
  private long[] ids;
  private SampleMetadata[] metadata;
  private int size;
  private boolean sorted = true;

  /**
   * @param expected expected number of samples, at least 0
   */
  public MetadataBatch(int expected) {
    ids = new long[Math.max(1, expected)];
    metadata = new SampleMetadata[ids.length];
  }

  /** Returns a batch with the metadata of one sample. */
  public static MetadataBatch of(long sampleId, SampleMetadata metadata) {
    MetadataBatch one = new MetadataBatch(1);
    one.put(sampleId, metadata);
    return one;
  }

  /**
   * Sets the new metadata of a sample, replacing metadata that the batch already has for this
   * sample.
   */
  public void put(long sampleId, SampleMetadata now) {
    if (size == ids.length) {
      ids = Arrays.copyOf(ids, 2 * size);
      metadata = Arrays.copyOf(metadata, 2 * size);
    }
    sorted &= size == 0 || ids[size - 1] < sampleId;
    ids[size] = sampleId;
    metadata[size++] = now;
  }

  private void sort() {
    if (sorted) {
      return;
    }
    Integer[] places = new Integer[size];
    Arrays.setAll(places, place -> place);
    // The sort is stable, so if a sample has several entries, the last entry stays last.
    Arrays.sort(places, (one, other) -> Long.compare(ids[one], ids[other]));
    long[] sortedIds = new long[size];
    SampleMetadata[] sortedMetadata = new SampleMetadata[size];
    int count = 0;
    for (int place : places) {
      count -= count > 0 && sortedIds[count - 1] == ids[place] ? 1 : 0;
      sortedIds[count] = ids[place];
      sortedMetadata[count++] = metadata[place];
    }
    ids = sortedIds;
    metadata = sortedMetadata;
    size = count;
    sorted = true;
  }

  public int size() {
    sort();
    return size;
  }

  /**
   * Returns the sample id at a position in the batch.
   *
   * @param place from 0, below {@link #size}
   */
  public long id(int place) {
    sort();
    return ids[place];
  }

  /** Returns the metadata at a position in the batch. */
  public SampleMetadata metadata(int place) {
    sort();
    return metadata[place];
  }
}
