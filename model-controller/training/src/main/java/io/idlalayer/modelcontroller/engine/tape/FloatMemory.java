package io.idlalayer.modelcontroller.engine.tape;

import io.idlalayer.modelloader.natives.NativeLibraries;
import java.util.concurrent.atomic.AtomicLong;
import org.bytedeco.javacpp.Pointer;

/**
 * Floats outside the heap: one allocation, which its owner frees with {@link #close}. Aligned to
 * cache lines, and zero at first. It does not count against the limit that JavaCPP derives from the
 * size of the heap. Above that limit, JavaCPP collects garbage and waits, which would free nothing
 * here.
 */
public final class FloatMemory implements AutoCloseable {
  private static final int ALIGNMENT_BYTES = 64;
  private static final AtomicLong LIVE_BYTES = new AtomicLong();

  static {
    NativeLibraries.ensure();
  }

  private final Pointer block;
  private final long bytes;
  private final long firstAddress;
  private final long floats;
  private boolean closed;

  /**
   * @throws OutOfMemoryError if the memory cannot be had
   */
  public FloatMemory(long floats) {
    this.floats = floats;
    bytes = floats * Float.BYTES + ALIGNMENT_BYTES;
    Pointer given = Pointer.calloc(1, bytes);
    if (given == null || given.isNull()) {
      throw new OutOfMemoryError(
          ("the operating system gives no %,d bytes for tensors; give the process more memory, or"
                  + " lower training.mini-batch")
              .formatted(bytes));
    }
    block = given;
    firstAddress = (block.address() + ALIGNMENT_BYTES - 1) / ALIGNMENT_BYTES * ALIGNMENT_BYTES;
    LIVE_BYTES.addAndGet(bytes);
  }

  /** Returns the number of bytes of all memories of this process that are not closed. */
  public static long liveBytes() {
    return LIVE_BYTES.get();
  }

  public long floats() {
    return floats;
  }

  /** Returns a part of the floats, valid until this memory is closed. */
  public Floats part(long from, int length) {
    checkOpen();
    if (from < 0 || length < 0 || from + length > floats) {
      throw new IndexOutOfBoundsException(
          "a range of %d floats from index %d on is not inside a memory of %d"
              .formatted(length, from, floats));
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
      LIVE_BYTES.addAndGet(-bytes);
      Pointer.free(block);
    }
  }
}
