package io.idlalayer.middleware.memory.device;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/** The byte buffers that together form an arena, one for each piece. */
final class Pieces {
  private static final int PIECE_BYTES_MAX = 1 << 30;

  private final String device;
  private final long capacityBytes;
  private final int pieceBytes;
  private final @Nullable ByteBuffer[] buffers;

  Pieces(DeviceSpec spec, int pieceBytes) {
    if (pieceBytes <= 0 || pieceBytes > PIECE_BYTES_MAX || pieceBytes % spec.alignBytes() != 0) {
      throw new IllegalArgumentException(
          "device %s: pieces of %d bytes; a multiple of %d up to %,d is needed"
              .formatted(spec.name(), pieceBytes, spec.alignBytes(), PIECE_BYTES_MAX));
    }
    device = spec.name();
    capacityBytes = spec.capacityBytes();
    this.pieceBytes = (int) Math.min(pieceBytes, capacityBytes);
    buffers = new ByteBuffer[Math.toIntExact((capacityBytes + pieceBytes - 1) / pieceBytes)];
  }

  int count() {
    return buffers.length;
  }

  int bytesOf(int piece) {
    return (int) Math.min(pieceBytes, capacityBytes - (long) piece * pieceBytes);
  }

  long capacityBytes() {
    return capacityBytes;
  }

  int pieceBytes() {
    return pieceBytes;
  }

  void set(int piece, ByteBuffer buffer) {
    buffers[piece] = buffer;
  }

  ByteBuffer view(long offset, int bytes) {
    if (offset < 0 || bytes < 0 || offset > capacityBytes - bytes) {
      throw new IndexOutOfBoundsException(
          "device %s: bytes %d to %d are not all within its %d bytes"
              .formatted(device, offset, offset + bytes, capacityBytes));
    }
    ByteBuffer piece = buffers[Math.min(count() - 1, (int) (offset / pieceBytes))];
    if (piece == null) {
      throw new StaleRegionException("device " + device + " is closed");
    }
    int at = (int) (offset % pieceBytes);
    if (at + bytes > piece.capacity()) {
      throw new IndexOutOfBoundsException(
          "device %s: bytes %d to %d cross the end of a piece of %d bytes"
              .formatted(device, offset, offset + bytes, pieceBytes));
    }
    return piece.slice(at, bytes).order(ByteOrder.nativeOrder());
  }

  void clear() {
    java.util.Arrays.fill(buffers, null);
  }
}
