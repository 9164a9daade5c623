package io.idlalayer.middleware.memory.device;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a device, all acquired before the first use. They lie in pieces of less than 2 GiB,
 * each contiguous in the address space; no region spans two pieces. Any number of threads, as long
 * as they use different bytes.
 */
public interface Arena extends AutoCloseable {
  /** Bytes of all pieces. */
  long capacityBytes();

  /** Bytes of each piece but the last, which may have fewer. */
  long pieceBytes();

  /**
   * Returns a view of some bytes, in native byte order.
   *
   * @param offset offset of the first byte
   * @param bytes number of bytes; they all lie in one piece
   */
  ByteBuffer view(long offset, int bytes);

  /**
   * Copies bytes in, from the source's position to its limit.
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
   * Returns whether loads and stores go to the page cache, whose speed is not that of the medium.
   */
  default boolean cached() {
    return false;
  }

  /** Returns a way past the page cache, closed with the arena; null if there is none. */
  default @Nullable DirectFile directFile() {
    return null;
  }

  /** Names the medium, for the device profile. */
  String description();

  /** Frees the bytes. Views must not be used afterwards. */
  @Override
  void close();
}
