package io.idlalayer.middleware.cache.shared;

import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Reads the messages that a neighbour writes from now on. A message that was overwritten before it
 * was read is lost. Confined to one thread.
 */
final class OutboxReader {
  private static final int BODY_LENGTH_AT = 12;
  private static final int TARGET_AT = 16;
  private static final int KIND_AT = 20;

  private final ByteBuffer front;
  private final int start;
  private final int bytes;
  private long position;
  private long lost;

  /** Receives a message. */
  @FunctionalInterface
  interface Receiver {
    void message(int kind, byte[] body);
  }

  OutboxReader(ByteBuffer front, FileLayout layout) {
    this.front = front.duplicate().order(ByteOrder.LITTLE_ENDIAN);
    start = layout.outboxOffset();
    bytes = layout.outboxBytes();
    position = Outbox.written(this.front);
  }

  /** Returns how often messages were lost, because they were overwritten or damaged. */
  long lost() {
    return lost;
  }

  /** Passes on the messages to one target that have come since the last call. */
  void read(int target, Receiver receiver) {
    long end = Outbox.written(front);
    while (position < end) {
      byte[] message = next(end);
      if (message.length == 0) {
        lost++;
        position = Outbox.written(front);
        return;
      }
      position += message.length;
      ByteBuffer in = ByteBuffer.wrap(message).order(ByteOrder.LITTLE_ENDIAN);
      if (in.getInt(TARGET_AT) == target) {
        int length = in.getInt(BODY_LENGTH_AT);
        receiver.message(
            in.getInt(KIND_AT),
            Arrays.copyOfRange(message, Outbox.HEADER_BYTES, Outbox.HEADER_BYTES + length));
      }
    }
    // A position beyond the end shows that the file was created anew.
    position = end;
  }

  /** Returns the message at the position; empty if the message was overwritten. */
  private byte[] next(long end) {
    byte[] header = copy(Outbox.HEADER_BYTES);
    ByteBuffer in = ByteBuffer.wrap(header).order(ByteOrder.LITTLE_ENDIAN);
    int length = in.getInt(BODY_LENGTH_AT);
    boolean there = position >= 0 && (position & 7) == 0 && in.getLong(0) == position;
    if (!there || length < 0 || length > Outbox.largestBody(bytes)) {
      return new byte[0];
    }
    byte[] message = copy(Outbox.sizeOf(length));
    VarHandle.acquireFence();
    boolean overwritten = Outbox.written(front) + bytes / 4 - position > bytes;
    boolean whole =
        !overwritten
            && position + message.length <= end
            && ByteBuffer.wrap(message).order(ByteOrder.LITTLE_ENDIAN).getInt(BODY_LENGTH_AT)
                == length
            && in.getInt(Outbox.CHECKSUM_AT)
                == Outbox.checksum(message, Outbox.HEADER_BYTES + length);
    return whole ? message : new byte[0];
  }

  private byte[] copy(int length) {
    byte[] copy = new byte[length];
    int at = (int) (position & (bytes - 1));
    int first = Math.min(length, bytes - at);
    front.get(start + at, copy, 0, first);
    front.get(start, copy, first, length - first);
    return copy;
  }
}
