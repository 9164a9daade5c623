package io.idlalayer.modelcontroller.engine.tape;

import java.util.concurrent.atomic.AtomicLong;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.Pointer;

/**
 * Floats outside the heap: one allocation, which its owner frees with {@link #close}. Aligned to
 * cache lines, and zero at first.
 */
public final class FloatMemory implements AutoCloseable {
  private static final int ALIGNMENT_BYTES = 64;
  private static final AtomicLong LIVE_BYTES = new AtomicLong();

  private final BytePointer bytes;
  private final long firstAddress;
  private final long floats;
  private boolean closed;

  /**
   * @throws OutOfMemoryError if the memory cannot be had
   */
  public FloatMemory(long floats) {
    this.floats = floats;
    bytes = new BytePointer(floats * Float.BYTES + ALIGNMENT_BYTES);
    Pointer.memset(bytes, 0, bytes.capacity());
    firstAddress = (bytes.address() + ALIGNMENT_BYTES - 1) / ALIGNMENT_BYTES * ALIGNMENT_BYTES;
    LIVE_BYTES.addAndGet(bytes.capacity());
  }

  /** Bytes of all memories of this process that are not closed. */
  public static long liveBytes() {
    return LIVE_BYTES.get();
  }

  public long floats() {
    return floats;
  }

  /** Some of them, to use until this memory is closed. */
  public Floats part(long from, int length) {
    checkOpen();
    if (from < 0 || length < 0 || from + length > floats) {
      throw new IndexOutOfBoundsException(
          "%d floats from %d on, of %d".formatted(length, from, floats));
    }
    return new Floats(firstAddress + from * Float.BYTES, length);
  }

  void checkOpen() {
    if (closed) {
      throw new IllegalStateException("the memory is freed");
    }
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      LIVE_BYTES.addAndGet(-bytes.capacity());
      bytes.deallocate();
    }
  }
}
