package io.idlalayer.middleware.cache.policy;

import java.util.function.IntConsumer;

/**
 * Decides which resident block leaves. Blocks are known by their slot, a small integer that the
 * owner of the policy gives out and may give out again after {@link #removed}. Confined to one
 * thread or guarded by its owner's lock.
 *
 * <p>A reference to a block is either {@link #hit} of its slot or {@link #missed}; after a miss the
 * owner makes room by {@link #victim} and {@link #removed}, and calls {@link #inserted}.
 */
public interface EvictionPolicy {
  /** A resident block was referenced. */
  void hit(int slot);

  /**
   * Records a hit that stands for several hits.
   *
   * @param weight number of hits that this one stands for, at least 1
   */
  default void hit(int slot, int weight) {
    hit(slot);
  }

  /** A block that is not resident was referenced and is about to be inserted. */
  void missed(long hash, Reuse reuse);

  /** A block became resident. */
  void inserted(int slot, Reuse reuse);

  /**
   * Returns the block that should leave; it stays until {@link #removed}. Asked only while at least
   * one is resident.
   */
  int victim();

  /** A block left, as a victim or for another reason. */
  void removed(int slot);

  /** A key will not be referenced again: it was invalidated, whether it was resident or not. */
  default void forgotten(long hash) {}

  /** Makes room for slots 0 to {@code slots - 1}. */
  void ensure(int slots);

  /** Says how many blocks the cache holds, or will hold when full. May change. */
  void capacity(int entries);

  /**
   * Sets the expected number of entries and the mean size of a block; metadata should be small
   * compared with it.
   *
   * @param bytesPerEntry memory of a block, at least 1
   */
  default void capacity(int entries, long bytesPerEntry) {
    capacity(entries);
  }

  /** Visits the resident slots, roughly those first that would leave first. */
  void forEach(IntConsumer visitor);

  /** Bytes of the policy's own metadata. */
  long metadataBytes();
}
