package io.idlalayer.middleware.memory.device;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a device, acquired whole before the first use. They lie in pieces that are
 * contiguous in the address space, each of less than 2 GiB; a region never crosses from one piece
 * to the next. Safe for many threads as long as they use different bytes.
 */
public interface Arena extends AutoCloseable {
  /** All bytes. */
  long capacityBytes();

  /** Bytes of a piece; the last one may have fewer. */
  long pieceBytes();

  /**
   * A view of some bytes, in native order.
   *
   * @param offset of the first byte
   * @param bytes as many as lie in one piece
   */
  ByteBuffer view(long offset, int bytes);

  /**
   * Copies bytes in, from the source's position to its limit.
   *
   * @return bytes copied; fewer than there were if the device takes no more at once, 0 if it never
   *     will
   * @throws DeviceFailureException if the medium failed
   */
  default int put(long offset, ByteBuffer source) {
    int bytes = source.remaining();
    view(offset, bytes).put(source);
    return bytes;
  }

  /**
   * Whether loads and stores end in a cache of the operating system, so that their speed is not
   * that of the medium.
   */
  default boolean cached() {
    return false;
  }

  /** The medium past that cache, closed with the arena; null if there is no way. */
  default @Nullable DirectFile directFile() {
    return null;
  }

  /** What the bytes lie on, for the device profile. */
  String description();

  /** Gives the bytes back; views must not be used afterwards. */
  @Override
  void close();
}
