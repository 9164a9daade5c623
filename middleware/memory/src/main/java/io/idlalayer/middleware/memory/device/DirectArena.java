package io.idlalayer.middleware.memory.device;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** An arena in DRAM outside the Java heap. Counts against {@code -XX:MaxDirectMemorySize}. */
public final class DirectArena implements Arena {
  /** Size of the pieces where none is given: 1 GiB. */
  public static final int DEFAULT_PIECE_BYTES = 1 << 30;

  private final Pieces pieces;

  /** Creates an arena in pieces of 1 GiB. */
  public DirectArena(DeviceSpec spec) {
    this(spec, DEFAULT_PIECE_BYTES);
  }

  /**
   * Creates an arena in pieces of a given size.
   *
   * @param pieceBytes a multiple of the device's alignment, at most 1 GiB
   * @throws DeviceFailureException if the process may not have that much memory
   */
  public DirectArena(DeviceSpec spec, int pieceBytes) {
    pieces = new Pieces(spec, pieceBytes);
    try {
      for (int i = 0; i < pieces.count(); i++) {
        // Direct buffers are aligned to 16 bytes at most.
        ByteBuffer whole = ByteBuffer.allocateDirect(pieces.bytesOf(i) + spec.alignBytes());
        ByteBuffer aligned = whole.alignedSlice(spec.alignBytes());
        pieces.set(i, aligned.limit(pieces.bytesOf(i)).slice().order(ByteOrder.nativeOrder()));
      }
    } catch (OutOfMemoryError e) {
      pieces.clear();
      throw new DeviceFailureException(
          "device %s: no %,d bytes outside the heap; raise -XX:MaxDirectMemorySize or lower the budget"
              .formatted(spec.name(), spec.capacityBytes()),
          e);
    }
  }

  @Override
  public long capacityBytes() {
    return pieces.capacityBytes();
  }

  @Override
  public long pieceBytes() {
    return pieces.pieceBytes();
  }

  @Override
  public ByteBuffer view(long offset, int bytes) {
    return pieces.view(offset, bytes);
  }

  @Override
  public String description() {
    return "DRAM off heap";
  }

  @Override
  public void close() {
    pieces.clear();
  }
}
