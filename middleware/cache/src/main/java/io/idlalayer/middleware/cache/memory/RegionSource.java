package io.idlalayer.middleware.cache.memory;

import java.nio.ByteBuffer;

/** Where a {@link BlockMemory} takes the bytes of its regions from. */
@FunctionalInterface
public interface RegionSource {
  /**
   * Returns the bytes of a region.
   *
   * @param index index that the region will have
   * @throws OutOfMemoryError if there are none; its message says what is full and what to do
   */
  ByteBuffer take(int index, int bytes);

  /** Is told that a region was dropped, whose bytes may be given to another one from now on. */
  default void give(int index) {}
}
