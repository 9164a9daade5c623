package io.idlalayer.modelcontroller.engine.memory;

import io.idlalayer.middleware.memory.device.Arena;
import io.idlalayer.middleware.memory.device.ArenaPlaces;
import io.idlalayer.middleware.memory.device.StaleRegionException;
import java.nio.ByteBuffer;

/**
 * Lends the bytes of an arena to one memory. After the object is closed, this memory cannot access
 * the bytes any more, because they can then belong to another memory.
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

  private void checkOpen(long offset, int bytes) {
    if (closed) {
      throw new StaleRegionException(
          "%s: bytes %d to %d no longer belong to this memory"
              .formatted(description(), offset, offset + bytes));
    }
  }

  @Override
  public long pieceEnd(long offset) {
    return arena.pieceEnd(offset);
  }

  @Override
  public ArenaPlaces places() {
    return arena.places();
  }

  @Override
  public ByteBuffer view(long offset, int bytes) {
    checkOpen(offset, bytes);
    return arena.view(offset, bytes);
  }

  @Override
  public int put(long offset, ByteBuffer source) {
    checkOpen(offset, source.remaining());
    return arena.put(offset, source);
  }

  @Override
  public void get(long offset, ByteBuffer target) {
    checkOpen(offset, target.remaining());
    arena.get(offset, target);
  }

  @Override
  public void discard(long offset, long bytes) {
    if (!closed) {
      arena.discard(offset, bytes);
    }
  }

  @Override
  public void transferred(long offset, long bytes, boolean written, long nanos) {
    arena.transferred(offset, bytes, written, nanos);
  }

  @Override
  public String description() {
    return arena.description();
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      arena.discard(0, arena.capacityBytes());
    }
  }
}
