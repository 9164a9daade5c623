package io.idlalayer.middleware.cache;

import io.idlalayer.middleware.cache.memory.RegionSource;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the regions of a segment, and receives a notice of each block that is placed in them or
 * leaves them. Called by one thread at a time, under the lock of the segment.
 */
public interface BlockListener extends RegionSource {
  /** Where a block lies: index of its region, offset of its payload there and its length. */
  record Place(int region, int offset, int length) {}

  /** Called when a block's payload is complete. */
  void placed(Place place);

  /**
   * Called when a block leaves, before any of its bytes changes.
   *
   * @param owner number of the owner that has put the block into the cache
   * @param evicted whether it leaves for want of memory
   */
  void leaving(Place place, int owner, boolean evicted);

  /**
   * Returns the next region with blocks from an earlier process, or null if there is none. The
   * region belongs to the caller from now on, as if it had been taken.
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
