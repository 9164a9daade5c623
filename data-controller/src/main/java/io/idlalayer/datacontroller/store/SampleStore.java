package io.idlalayer.datacontroller.store;

import java.util.List;

/**
 * Stores the samples of one application partition: payload and metadata by sample id. Changes are
 * written at once. Confined to one thread. The caller assigns ids in ascending order and never uses
 * an id again. Implementations are allowed to rely on this for speed, but not for correctness.
 *
 * <p>Every method throws {@link SampleStoreException} if the medium fails; in this case each sample
 * was either changed completely or not at all.
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

  /** Removes payload and metadata of samples. Ids that are not stored are skipped. */
  void remove(long[] ascendingIds);

  /**
   * Visits the metadata of every stored sample once, in no particular order. The visitor is allowed
   * to replace the sample that it visits.
   */
  void forEachMetadata(MetadataVisitor visitor);

  /**
   * Makes this store write the digest of a payload, if it is known, together with the metadata of
   * the sample, and add digests that it reads with metadata to {@code digests}. Returns this store.
   * A store that is not durable returns itself.
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
