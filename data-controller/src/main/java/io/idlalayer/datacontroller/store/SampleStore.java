package io.idlalayer.datacontroller.store;

import java.util.List;

/**
 * Stores the samples of one application partition: payload and metadata by sample id, written
 * through. Confined to one thread. Ids are given in ascending order by the caller and are never
 * reused; implementations may rely on that for speed, not for correctness.
 *
 * <p>Every method throws {@link SampleStoreException} if the medium fails; each single sample was
 * then either changed completely or not at all.
 */
public interface SampleStore {
  /** Adds a sample, or replaces payload and metadata of the sample with this id. */
  void put(long sampleId, byte[] payload, SampleMetadata metadata);

  /**
   * Replaces the metadata of stored samples. The caller must know that the samples are stored; a
   * store refuses an id that is not stored only if it notices this without a search.
   */
  void updateMetadata(MetadataBatch changed);

  /**
   * Returns the payloads of samples in the order of the ids, which ascend.
   *
   * @throws SampleStoreException naming the first id that is not stored
   */
  List<byte[]> payloads(long[] ascendingIds);

  /** Removes payload and metadata of samples. Ids that are not stored are passed over. */
  void remove(long[] ascendingIds);

  /**
   * Visits the metadata of every stored sample once, in no promised order. The visitor may replace
   * the sample that it visits.
   */
  void forEachMetadata(MetadataVisitor visitor);

  /**
   * Returns this store, which from now on writes the digest of a payload with the metadata of its
   * sample, if it is known, and fills in the digests that it reads with metadata. A store that is
   * not durable returns itself.
   */
  default SampleStore withDigests(PayloadDigests digests) {
    return this;
  }

  /** Receives the metadata of one sample after the other. */
  @FunctionalInterface
  interface MetadataVisitor {
    void visit(long sampleId, SampleMetadata metadata);
  }
}
