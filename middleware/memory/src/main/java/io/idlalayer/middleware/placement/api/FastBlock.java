package io.idlalayer.middleware.placement.api;

import io.idlalayer.middleware.memory.object.MemObject;
import org.jspecify.annotations.Nullable;

/**
 * A contiguous range of the fast device's bytes: free, reserved or used by an object.
 *
 * @param chunk number of the arena's chunk; no block spans two chunks
 * @param offset offset of the first byte
 * @param object the object that has the bytes; null if they are free or reserved
 * @param open whether the bytes are free, or their object may leave
 */
public record FastBlock(
    long chunk, long offset, long bytes, @Nullable MemObject object, boolean open) {
  /** Returns whether the bytes are neither used by an object nor reserved. */
  public boolean free() {
    return object == null && open;
  }
}
