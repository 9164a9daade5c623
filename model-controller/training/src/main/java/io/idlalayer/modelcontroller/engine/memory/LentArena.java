package io.idlalayer.modelcontroller.engine.memory;

import io.idlalayer.middleware.memory.device.Arena;
import io.idlalayer.middleware.memory.device.StaleRegionException;
import java.nio.ByteBuffer;

/**
 * Lends the bytes of an arena to one memory. Once it is closed, this memory cannot access the
 * bytes, which another memory may have by then.
 */
final class LentArena implements Arena {
  private final Arena arena;
  private volatile boolean closed;

  LentArena(Arena arena) {
    this.arena = arena;
  }

  @Override
  public long capacityBytes() {
    return arena.capacityBytes();
  }

  @Override
  public long pieceBytes() {
    return arena.pieceBytes();
  }

  @Override
  public ByteBuffer view(long offset, int bytes) {
    if (closed) {
      throw new StaleRegionException(
          "%s: bytes %d to %d no longer belong to this memory"
              .formatted(description(), offset, offset + bytes));
    }
    return arena.view(offset, bytes);
  }

  @Override
  public String description() {
    return arena.description();
  }

  @Override
  public void close() {
    closed = true;
  }
}
