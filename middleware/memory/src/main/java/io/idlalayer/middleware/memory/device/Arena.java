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
   * Returns whether loads and stores reach only the operating system's page cache, whose speed is
   * not that of the medium.
   */
  default boolean cached() {
    return false;
  }

  /**
   * Returns the file that reads and writes this arena past the page cache, closed with the arena;
   * null if there is none.
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
