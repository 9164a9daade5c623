package io.idlalayer.middleware.placement.trace;

import io.idlalayer.middleware.memory.device.Arena;
import io.idlalayer.middleware.memory.device.DeviceSpec;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * An arena that stores no bytes: all copies use one small buffer, so that steps of any size can be
 * replayed on any machine. It refuses to give the bytes of a whole object.
 */
public final class HollowArena implements Arena {
  private static final long PIECE_BYTES = 1L << 30;
  private static final int SCRATCH_BYTES = 1 << 20;

  private final long capacityBytes;
  private final ByteBuffer scratch;

  /** Creates an arena as large as a device. */
  public HollowArena(DeviceSpec spec) {
    capacityBytes = spec.capacityBytes();
    scratch = ByteBuffer.allocate((int) Math.min(SCRATCH_BYTES, capacityBytes));
  }

  @Override
  public long capacityBytes() {
    return capacityBytes;
  }

  /**
   * Returns the piece size of arenas with real bytes, so that the allocator lays regions out as it
   * would there.
   */
  @Override
  public long pieceBytes() {
    return Math.min(PIECE_BYTES, capacityBytes);
  }

  /**
   * Returns a view of the small buffer that all views share.
   *
   * @throws UnsupportedOperationException for more bytes than a copy takes at once
   */
  @Override
  public ByteBuffer view(long offset, int bytes) {
    if (bytes > scratch.capacity()) {
      throw new UnsupportedOperationException(
          "%,d bytes at offset %,d are wanted, but a hollow arena stores none"
              .formatted(bytes, offset));
    }
    return scratch.slice(0, bytes).order(ByteOrder.nativeOrder());
  }

  /** Discards the source's bytes. */
  @Override
  public int put(long offset, ByteBuffer source) {
    int bytes = source.remaining();
    source.position(source.limit());
    return bytes;
  }

  @Override
  public String description() {
    return "nothing";
  }

  @Override
  public void close() {}
}
