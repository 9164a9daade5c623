package io.idlalayer.middleware.placement.trace;

import io.idlalayer.middleware.memory.device.Arena;
import io.idlalayer.middleware.memory.device.ArenaPlaces;
import io.idlalayer.middleware.memory.device.DeviceSpec;
import io.idlalayer.middleware.memory.device.DirectArena;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * An arena that stores no bytes: all copies use one small buffer, so that steps of any size can be
 * replayed on any machine. It refuses to give the bytes of a whole object.
 */
public final class HollowArena implements Arena {
  private static final int SCRATCH_BYTES = 1 << 20;

  private final long capacityBytes;
  private final long pieceBytes;
  private final ArenaPlaces places;
  private final ByteBuffer scratch;

  /** Creates an arena as large as a device, in pieces of 1 GiB. */
  public HollowArena(DeviceSpec spec) {
    this(spec, DirectArena.DEFAULT_PIECE_BYTES);
  }

  /**
   * Creates an arena as large as a device.
   *
   * @param pieceBytes size of the pieces of the arena that it stands for, above 0
   */
  public HollowArena(DeviceSpec spec, long pieceBytes) {
    this(spec, pieceBytes, ArenaPlaces.single(spec.capacityBytes()));
  }

  private HollowArena(DeviceSpec spec, long pieceBytes, ArenaPlaces places) {
    capacityBytes = spec.capacityBytes();
    this.pieceBytes = Math.min(pieceBytes, capacityBytes);
    this.places = places;
    scratch = ByteBuffer.allocate((int) Math.min(SCRATCH_BYTES, capacityBytes));
  }

  /** Creates an arena that stands for one whose bytes are only copied, in pieces of 1 GiB. */
  public static HollowArena copied(DeviceSpec spec) {
    return new HollowArena(
        spec, DirectArena.DEFAULT_PIECE_BYTES, ArenaPlaces.copied(spec.capacityBytes()));
  }

  @Override
  public ArenaPlaces places() {
    return places;
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
    return pieceBytes;
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
