package io.idlalayer.middleware.placement.api;

import io.idlalayer.middleware.memory.object.MemObject;
import org.jspecify.annotations.Nullable;

/**
 * Contiguous bytes of the fast device.
 *
 * @param chunk of the arena; nothing spans two chunks
 * @param offset of the first byte
 * @param object that is there; null if the bytes are free, or not to be had
 * @param open whether the bytes are free, or of an object that may leave
 */
public record FastBlock(
    long chunk, long offset, long bytes, @Nullable MemObject object, boolean open) {
  /** Whether nothing is there. */
  public boolean free() {
    return object == null && open;
  }
}
