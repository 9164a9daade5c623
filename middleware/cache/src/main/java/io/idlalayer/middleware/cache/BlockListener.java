package io.idlalayer.middleware.cache;

import io.idlalayer.middleware.cache.memory.RegionSource;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the regions of a segment, and receives a notice of each block that is placed in them or
 * leaves them. Called by one thread at a time, under the lock of the segment.
 */
public interface BlockListener extends RegionSource {
  /**
   * The place of a block: index of its region, offset of the payload in this region, and length of
   * the payload.
   */
  record Place(int region, int offset, int length) {}

  /** Called when a block's payload is complete. */
  void placed(Place place);

  /**
   * Called when a block is removed, before any of its bytes changes.
   *
   * @param owner number of the owner that has put the block into the cache
   * @param evicted whether the block is removed to free memory
   */
  void leaving(Place place, int owner, boolean evicted);

  /**
   * Returns the next region with blocks from an earlier process, or null if there is none. The
   * region belongs to the caller from now on, as if the caller had taken it with {@link #take}.
   *
   * @param index index that the region will have
   */
  @Nullable Found nextFound(int index);

  /**
   * A region with blocks.
   *
   * @param spaces key of each block, first part
   * @param ids key of each block, second part
   * @param offsets offsets of the payloads, ascending
   * @param lengths lengths of the payloads
   */
  record Found(ByteBuffer bytes, int[] spaces, long[] ids, int[] offsets, int[] lengths) {}
}
