package io.idlalayer.datacontroller.store;

import java.util.List;

/**
 * Keeps the samples of one application partition: payload and metadata by sample id, written
 * through. Confined to one thread. Ids are given in ascending order by the caller and are never
 * reused; implementations may rely on that for speed, not for correctness.
 *
 * <p>Every method throws {@link SampleStoreException} if the medium fails; the call then has had no
 * or its whole effect for each single sample.
 */
public interface SampleStore {
  /** Adds a sample, or replaces payload and metadata of the same id. */
  void put(long sampleId, byte[] payload, SampleMetadata metadata);

  /**
   * Replaces the metadata of samples that are stored. The caller knows that they are; a store
   * refuses an id that is not if it finds that without a search.
   */
  void updateMetadata(MetadataBatch changed);

  /**
   * Payloads in the order of the ids, which ascend.
   *
   * @throws SampleStoreException naming the first id that is not stored
   */
  List<byte[]> payloads(long[] ascendingIds);

  /** Removes payload and metadata. Ids that are not stored are passed over. */
  void remove(long[] ascendingIds);

  /** Visits every stored sample's metadata in no promised order. */
  void forEachMetadata(MetadataVisitor visitor);

  /** Receives one sample's metadata. */
  @FunctionalInterface
  interface MetadataVisitor {
    void visit(long sampleId, SampleMetadata metadata);
  }
}
