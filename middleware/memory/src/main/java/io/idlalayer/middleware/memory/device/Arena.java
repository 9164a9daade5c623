package io.idlalayer.middleware.memory.device;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The storage of a device, all of it acquired from the system before the first use. The bytes lie
 * in pieces of less than 2 GiB, each contiguous in the address space; no region spans two pieces.
 * Any number of threads, as long as they use different bytes.
 */
public interface Arena extends AutoCloseable {
  /** Returns the total number of bytes of all pieces. */
  long capacityBytes();

  /** Returns the number of bytes of each piece but the last, which may have fewer. */
  long pieceBytes();

  /**
   * Returns a view of a range of this arena's bytes, in native byte order.
   *
   * @param offset offset of the first byte
   * @param bytes number of bytes; they all lie in one piece
   * @throws UnsupportedOperationException if the place of these bytes is not {@linkplain
   *     ArenaPlaces#direct direct}
   */
  ByteBuffer view(long offset, int bytes);

  /**
   * Copies a buffer's bytes, from its position to its limit, into this arena.
   *
   * @return bytes copied: fewer than were given if the device takes no more at a time, 0 if it
   *     takes no more at all
   * @throws DeviceFailureException if the medium failed
   */
  default int put(long offset, ByteBuffer source) {
    int bytes = source.remaining();
    view(offset, bytes).put(source);
    return bytes;
  }

  /**
   * Copies bytes of this arena into a buffer, from its position to its limit.
   *
   * @param offset offset of the first byte; all bytes lie in one piece
   * @throws DeviceFailureException if the medium failed; the buffer's bytes are undefined then
   */
  default void get(long offset, ByteBuffer target) {
    target.put(view(offset, target.remaining()));
  }

  /**
   * Returns the offset after the last byte of a piece.
   *
   * @param offset offset of a byte of the piece
   */
  default long pieceEnd(long offset) {
    return Math.min(capacityBytes(), (offset / pieceBytes() + 1) * pieceBytes());
  }

  /** Returns the places of which this arena consists; a single one unless it is combined. */
  default ArenaPlaces places() {
    return ArenaPlaces.single(capacityBytes());
  }

  /**
   * Tells the arena that some bytes will not be read before they are written again. May be called
   * at any time, under locks: does not wait for the medium.
   */
  default void discard(long offset, long bytes) {}

  /**
   * Tells the arena how long a copy of its bytes took.
   *
   * @param offset offset of the first byte
   * @param written whether the bytes were written to this arena, and not read from it
   * @param nanos duration of the copy in nanoseconds, above 0
   */
  default void transferred(long offset, long bytes, boolean written, long nanos) {}

  /**
   * Returns whether loads and stores reach only the operating system's page cache, whose speed is
   * not that of the medium.
   */
  default boolean cached() {
    return false;
  }

  /**
   * Returns the file by which this arena can be measured past the page cache, closed with the
   * arena; null if there is none.
   */
  default @Nullable DirectFile directFile() {
    return null;
  }

  /** Returns a description of the medium, for the device profile. */
  String description();

  /** Gives the bytes back to the system. Views must not be used afterwards. */
  @Override
  void close();
}
