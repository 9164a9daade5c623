package io.idlalayer.modelcontroller.engine.tape;

import io.idlalayer.modelloader.natives.NativeLibraries;
import java.nio.FloatBuffer;
import java.util.concurrent.atomic.AtomicLong;
import org.bytedeco.javacpp.Loader;
import org.bytedeco.javacpp.Pointer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Floats in one allocation, which its owner frees with {@link #close}. They are zero at first.
 *
 * <p>The floats are outside the heap, aligned to cache lines. They do not count against the limit
 * that JavaCPP derives from the size of the heap: above this limit JavaCPP starts garbage
 * collections and waits, which would not free this memory. On a platform without JavaCPP's native
 * code the floats are on the heap, where only kernels in Java can use them.
 */
public final class FloatMemory implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(FloatMemory.class);

  /** Whether JavaCPP's native code, which allocates memory and creates pointers, is available. */
  static final boolean NATIVE = canAllocate();

  private static final int ALIGNMENT_BYTES = 64;

  /** Largest length of a float array that every JVM can allocate. */
  private static final long MOST_ON_HEAP = Integer.MAX_VALUE - 8L;

  private static final AtomicLong LIVE_BYTES = new AtomicLong();

  private final @Nullable Pointer block;
  private final @Nullable FloatBuffer heap;
  private final long bytes;
  private final long firstAddress;
  private final long floats;
  private boolean closed;

  /**
   * @throws OutOfMemoryError if the memory cannot be allocated
   */
  public FloatMemory(long floats) {
    this.floats = floats;
    if (NATIVE) {
      bytes = floats * Float.BYTES + ALIGNMENT_BYTES;
      block = allocate(bytes);
      heap = null;
      firstAddress = (block.address() + ALIGNMENT_BYTES - 1) / ALIGNMENT_BYTES * ALIGNMENT_BYTES;
    } else {
      bytes = floats * Float.BYTES;
      if (floats > MOST_ON_HEAP) {
        throw new OutOfMemoryError(
            ("an array of Java has no %,d bytes for tensors, and there is no native code to allocate"
                    + " them; lower training.mini-batch")
                .formatted(bytes));
      }
      block = null;
      heap = FloatBuffer.allocate((int) floats);
      firstAddress = 0;
    }
    LIVE_BYTES.addAndGet(bytes);
  }

  private static boolean canAllocate() {
    NativeLibraries.ensure();
    try {
      Pointer.free(Pointer.malloc(1));
      return true;
    } catch (LinkageError none) {
      if (isForThisPlatform()) {
        LOG.warn(
            "JavaCPP's native code is there but cannot be loaded, so tensors lie on the heap and"
                + " only kernels in Java run, which are slower. It needs space in a folder on a"
                + " file system from which programs may be run; name one with"
                + " -Dorg.bytedeco.javacpp.cachedir=FOLDER",
            reason(none));
      }
      return false;
    }
  }

  /** Returns whether JavaCPP has native code for this platform. */
  private static boolean isForThisPlatform() {
    String file = System.mapLibraryName("jnijavacpp");
    return Pointer.class.getResource(NativeLibraries.platform() + "/" + file) != null;
  }

  /**
   * Returns why the native code is not loaded. JavaCPP gives the reason only at a second attempt.
   */
  private static Throwable reason(LinkageError none) {
    try {
      Loader.load(Pointer.class);
      return none;
    } catch (LinkageError | RuntimeException reason) {
      return reason;
    }
  }

  private static Pointer allocate(long bytes) {
    Pointer given = Pointer.calloc(1, bytes);
    if (given == null || given.isNull()) {
      throw new OutOfMemoryError(
          ("the operating system gives no %,d bytes for tensors; give the process more memory, or"
                  + " lower training.mini-batch")
              .formatted(bytes));
    }
    return given;
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
    return heap != null
        ? Floats.onHeap(heap.slice((int) from, length))
        : Floats.at(firstAddress + from * Float.BYTES, length);
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
      if (block != null) {
        Pointer.free(block);
      }
    }
  }
}
