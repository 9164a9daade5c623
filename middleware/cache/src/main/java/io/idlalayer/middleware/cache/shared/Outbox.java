package io.idlalayer.middleware.cache.shared;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * The messages of this process to its neighbours: a ring in its file. The oldest part of the ring
 * is overwritten, whether or not a neighbour has read it. Positions count bytes and are never
 * reset.
 *
 * <pre>
 *  0          8        12             16       20     24
 *  +----------+--------+--------------+--------+------+------+------------+
 *  | position | CRC32C | bytes of body| target | kind | body | to 8 bytes |
 *  +----------+--------+--------------+--------+------+------+------------+
 * </pre>
 *
 * Safe from any thread.
 */
final class Outbox {
  static final int HEADER_BYTES = 24;
  static final int CHECKSUM_AT = 8;

  /** A block for which its owner has no memory any more; the body is the record of the block. */
  static final int OFFER = 1;

  /** A block of the target was used; the body is the digest of the block. */
  static final int USE = 2;

  private static final VarHandle LONGS =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private final ByteBuffer front;
  private final int start;
  private final int bytes;
  private long position;

  Outbox(ByteBuffer front, FileLayout layout) {
    this.front = front.duplicate().order(ByteOrder.LITTLE_ENDIAN);
    start = layout.outboxOffset();
    bytes = layout.outboxBytes();
    position = Math.max(0, written(this.front)) & -Long.BYTES;
  }

  static long written(ByteBuffer front) {
    return (long) LONGS.getAcquire(front, FileLayout.WRITTEN_AT);
  }

  /** Returns the length of the largest body that fits into an outbox of {@code bytes} bytes. */
  static int largestBody(int bytes) {
    return bytes / 4 - HEADER_BYTES;
  }

  static int sizeOf(int body) {
    return (HEADER_BYTES + body + Long.BYTES - 1) & -Long.BYTES;
  }

  static int checksum(byte[] message, int length) {
    CRC32C checksum = new CRC32C();
    checksum.update(message, 0, CHECKSUM_AT);
    checksum.update(message, CHECKSUM_AT + Integer.BYTES, length - CHECKSUM_AT - Integer.BYTES);
    return (int) checksum.getValue();
  }

  /**
   * Writes a message.
   *
   * @return false if its body is too long
   */
  synchronized boolean send(int target, int kind, byte[] body) {
    if (body.length > largestBody(bytes)) {
      return false;
    }
    byte[] message = new byte[sizeOf(body.length)];
    ByteBuffer out = ByteBuffer.wrap(message).order(ByteOrder.LITTLE_ENDIAN);
    out.putLong(position).putInt(0).putInt(body.length).putInt(target).putInt(kind).put(body);
    out.putInt(CHECKSUM_AT, checksum(message, HEADER_BYTES + body.length));
    int at = (int) (position & (bytes - 1));
    int first = Math.min(message.length, bytes - at);
    front.put(start + at, message, 0, first);
    front.put(start, message, first, message.length - first);
    position += message.length;
    LONGS.setVolatile(front, FileLayout.WRITTEN_AT, position);
    return true;
  }
}
