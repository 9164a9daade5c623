package io.idlalayer.middleware.cache.policy;

import java.util.function.IntConsumer;

/**
 * Decides which resident block a full cache evicts. Blocks are known by their slot, a small integer
 * that the owner of the policy assigns, and can assign again after {@link #removed}. Confined to
 * one thread or guarded by its owner's lock.
 *
 * <p>A reference to a block is either {@link #hit} of its slot or {@link #missed}; after a miss the
 * owner makes space with {@link #victim} and {@link #removed}, and calls {@link #inserted}.
 */
public interface EvictionPolicy {
  /** Records that a resident block was referenced. */
  void hit(int slot);

  /**
   * Records a hit that stands for several hits of the block.
   *
   * @param weight number of hits for which this hit stands, at least 1
   */
  default void hit(int slot, int weight) {
    hit(slot);
  }

  /** Records that an absent block was referenced and is about to be inserted. */
  void missed(long hash, Reuse reuse);

  /** Records that a block became resident in a slot. */
  void inserted(int slot, Reuse reuse);

  /**
   * Returns the slot of the block to evict next; the block stays until {@link #removed}. Called
   * only while at least one block is resident.
   */
  int victim();

  /** Records that the block of a slot is no longer resident, as a victim or for another reason. */
  void removed(int slot);

  /**
   * Records that a key was invalidated and will not be referenced again, whether it was resident or
   * not.
   */
  default void forgotten(long hash) {}

  /** Makes the arrays of this policy large enough for slots 0 to {@code slots - 1}. */
  void ensure(int slots);

  /**
   * Sets the number of blocks that the cache holds, or will hold when full. The number can change
   * later.
   */
  void capacity(int entries);

  /**
   * Sets the number of blocks of a full cache and their mean size; the policy's metadata should be
   * small compared with it.
   *
   * @param bytesPerEntry memory of a block, at least 1
   */
  default void capacity(int entries, long bytesPerEntry) {
    capacity(entries);
  }

  /** Visits the slots of all resident blocks, about in the order in which they would be evicted. */
  void forEach(IntConsumer visitor);

  /** Returns the heap bytes of this policy's own metadata. */
  long metadataBytes();
}
