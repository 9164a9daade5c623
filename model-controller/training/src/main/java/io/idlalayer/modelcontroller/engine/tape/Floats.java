package io.idlalayer.modelcontroller.engine.tape;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.FloatPointer;

/**
 * Floats outside the heap: a range of a {@link FloatMemory}, or of a buffer. Kernels in Java copy
 * their data into arrays on the heap and back, which is faster than single accesses; native kernels
 * take the pointer.
 */
public final class Floats {
  private final FloatPointer pointer;
  private final FloatBuffer buffer;
  private final int length;

  /** A pointer to an address that it does not own and never frees. */
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

  Floats(long address, int length) {
    this(
        new At(address, length),
        new BytesAt(address, (long) length * Float.BYTES)
            .bytes()
            .order(ByteOrder.nativeOrder())
            .asFloatBuffer());
  }

  private Floats(FloatPointer pointer, FloatBuffer buffer) {
    this.pointer = pointer;
    this.buffer = buffer;
    length = buffer.capacity();
  }

  /**
   * Returns the floats of a direct buffer, in native order. If the buffer is read-only, {@link
   * #put} fails; native kernels must respect that themselves.
   */
  public static Floats of(ByteBuffer bytes) {
    FloatBuffer floats = bytes.order(ByteOrder.nativeOrder()).asFloatBuffer();
    return new Floats(new FloatPointer(floats), floats);
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
    return new Floats(pointer.address() + (long) from * Float.BYTES, count);
  }

  /** Returns a pointer to the first float, for native kernels. */
  public FloatPointer pointer() {
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
