package io.idlalayer.modelcontroller.engine.tape;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.FloatPointer;
import org.jspecify.annotations.Nullable;

/**
 * A range of the floats of a {@link FloatMemory}, or of a buffer. Kernels in Java copy their data
 * into arrays and back, which is faster than single accesses; native kernels use the pointer.
 */
public final class Floats {
  private final FloatBuffer buffer;
  private final int length;

  /**
   * The pointer to the first float; null without JavaCPP's native code, because pointers need this
   * code.
   */
  private final @Nullable FloatPointer pointer;

  /** A pointer to an address. The pointer does not own the memory and never frees it. */
  private static final class At extends FloatPointer {
    At(long address, long length) {
      super((org.bytedeco.javacpp.Pointer) null);
      this.address = address;
      this.limit = length;
      this.capacity = length;
    }
  }

  private static final class BytesAt extends BytePointer {
    BytesAt(long address, long length) {
      super((org.bytedeco.javacpp.Pointer) null);
      this.address = address;
      this.limit = length;
      this.capacity = length;
    }

    ByteBuffer bytes() {
      return asBuffer();
    }
  }

  private Floats(@Nullable FloatPointer pointer, FloatBuffer buffer) {
    this.pointer = pointer;
    this.buffer = buffer;
    length = buffer.capacity();
  }

  /** Returns the floats at an address outside the heap. */
  static Floats at(long address, int length) {
    return new Floats(
        new At(address, length),
        new BytesAt(address, (long) length * Float.BYTES)
            .bytes()
            .order(ByteOrder.nativeOrder())
            .asFloatBuffer());
  }

  /** Returns floats on the heap, which have no pointer. */
  static Floats onHeap(FloatBuffer floats) {
    return new Floats(null, floats);
  }

  /**
   * Returns the floats of a direct buffer, in native order. If the buffer is read-only, {@link
   * #put} fails. Native kernels are not prevented from writing, so callers must not let them write.
   */
  public static Floats of(ByteBuffer bytes) {
    FloatBuffer floats = bytes.order(ByteOrder.nativeOrder()).asFloatBuffer();
    return new Floats(FloatMemory.NATIVE ? new FloatPointer(floats) : null, floats);
  }

  public int length() {
    return length;
  }

  /** Returns a range of these floats at the same address; nothing is copied. */
  public Floats part(int from, int count) {
    if (from < 0 || count < 0 || from + count > length) {
      throw new IndexOutOfBoundsException(
          "a range of %d floats from index %d on is not inside %d floats"
              .formatted(count, from, length));
    }
    FloatPointer moved =
        pointer == null ? null : new At(pointer.address() + (long) from * Float.BYTES, count);
    return new Floats(moved, buffer.slice(from, count));
  }

  /**
   * Returns a pointer to the first float, for native kernels.
   *
   * @throws IllegalStateException if JavaCPP's native code is not available
   */
  public FloatPointer pointer() {
    if (pointer == null) {
      throw new IllegalStateException("without JavaCPP's native code floats have no pointer");
    }
    return pointer;
  }

  /** Copies {@code count} floats, from {@code at} on, to {@code into} from {@code to} on. */
  public void get(int at, float[] into, int to, int count) {
    buffer.get(at, into, to, count);
  }

  /** Overwrites {@code count} floats, from {@code at} on. */
  public void put(int at, float[] values, int from, int count) {
    buffer.put(at, values, from, count);
  }

  /** Returns a copy of all floats. */
  public float[] toArray() {
    float[] values = new float[length];
    buffer.get(0, values);
    return values;
  }
}
