package io.idlalayer.middleware.cache.memory;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** A source from which a {@link BlockMemory} takes the bytes of its regions. */
@FunctionalInterface
public interface RegionSource {
  /**
   * Returns the bytes of a region; null if there are none now but can be later.
   *
   * @param index index that the region will have
   * @throws OutOfMemoryError if there are none; the message says what is full and what to do
   */
  @Nullable ByteBuffer take(int index, int bytes);

  /** Called when a region was dropped; its bytes can be used for another region from now on. */
  default void give(int index) {}
}
