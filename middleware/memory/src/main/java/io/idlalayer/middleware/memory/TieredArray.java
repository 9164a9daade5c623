package io.idlalayer.middleware.memory;

import java.nio.ByteBuffer;

/**
 * An object seen as an array. The array itself is not busy and gives no elements; {@link #readable}
 * and {@link #writable} give it in a state in which it does, until that is closed. What a state
 * forbids does not compile, and a state that is closed throws {@link StaleRegionException}.
 *
 * <p>Any thread; a state is for one thread at a time. An array that becomes garbage before its
 * object was retired is a defect that {@link TieredMemory#verify} reports.
 *
 * <p>Source: CachedArrays (Hildebrand 2022, chapter 4), access states NotBusy, ReadOnly and
 * ReadWrite.
 */
public final class TieredArray {
  private final TieredMemory memory;
  private final MemObject object;
  private final ElementType type;
  private final TieredMemory.Retirement retirement;
  private final Runnable givenUp;

  /**
   * @param retirement who gives the object up, such as the policy that placed it
   * @throws IllegalArgumentException if the object's bytes are no whole number of elements
   */
  public TieredArray(
      TieredMemory memory, MemObject object, ElementType type, TieredMemory.Retirement retirement) {
    if (object.bytes() % type.bytes() != 0) {
      throw new IllegalArgumentException(
          "%s is no array of %s: its bytes are no multiple of %d"
              .formatted(object, type, type.bytes()));
    }
    this.memory = memory;
    this.object = object;
    this.type = type;
    this.retirement = retirement;
    givenUp = memory.watch(this, object);
  }

  /** An array that the memory itself retires. */
  public TieredArray(TieredMemory memory, MemObject object, ElementType type) {
    this(memory, object, type, memory::retire);
  }

  /** What lies below. */
  public MemObject object() {
    return object;
  }

  /** What the elements are. */
  public ElementType type() {
    return type;
  }

  /** Elements. */
  public int length() {
    return Math.toIntExact(object.bytes() / type.bytes());
  }

  /** The array to read; see {@link TieredMemory#read}. */
  public ReadOnly readable() throws InterruptedException {
    ReadLease lease = memory.read(object);
    return new ReadOnly(this, lease.bytes(), lease::close);
  }

  /** The array to read and write; see {@link TieredMemory#write}. */
  public ReadWrite writable() throws InterruptedException {
    WriteLease lease = memory.write(object);
    return new ReadWrite(this, lease.bytes(), lease::close);
  }

  /** Gives the object up; false if that was done before. */
  public boolean retire() throws InterruptedException {
    boolean retired = retirement.retire(object);
    givenUp.run();
    return retired;
  }

  private int at(int index, ElementType wanted) {
    if (wanted != type) {
      throw new IllegalArgumentException(
          "an element of %s as %s; it is %s".formatted(object, wanted, type));
    }
    if (index < 0 || index >= length()) {
      throw new IndexOutOfBoundsException(
          "element %d of %d in %s".formatted(index, length(), object));
    }
    return index * type.bytes();
  }

  /** An array while it is leased for reading. */
  public static sealed class ReadOnly implements AutoCloseable permits ReadWrite {
    private final TieredArray array;
    private final ByteBuffer bytes;
    private final Runnable release;
    private boolean open = true;

    private ReadOnly(TieredArray array, ByteBuffer bytes, Runnable release) {
      this.array = array;
      this.bytes = bytes;
      this.release = release;
    }

    ByteBuffer bytes() {
      if (!open) {
        throw new StaleRegionException(array.object + " is used outside its lease");
      }
      return bytes;
    }

    int at(int index, ElementType wanted) {
      return array.at(index, wanted);
    }

    /**
     * @throws StaleRegionException if this is closed
     * @throws IllegalArgumentException if the elements are not bytes
     */
    public byte byteAt(int index) {
      return bytes().get(at(index, ElementType.BYTE));
    }

    /**
     * @throws StaleRegionException if this is closed
     * @throws IllegalArgumentException if the elements are not floats
     */
    public float floatAt(int index) {
      return bytes().getFloat(at(index, ElementType.FLOAT));
    }

    /**
     * @throws StaleRegionException if this is closed
     * @throws IllegalArgumentException if the elements are not longs
     */
    public long longAt(int index) {
      return bytes().getLong(at(index, ElementType.LONG));
    }

    /** Back to the array that is not busy. */
    @Override
    public void close() {
      if (open) {
        open = false;
        release.run();
      }
    }
  }

  /** An array while it is leased for reading and writing. */
  public static final class ReadWrite extends ReadOnly {
    private ReadWrite(TieredArray array, ByteBuffer bytes, Runnable release) {
      super(array, bytes, release);
    }

    /**
     * @throws StaleRegionException if this is closed
     * @throws IllegalArgumentException if the elements are not bytes
     */
    public void set(int index, byte value) {
      bytes().put(at(index, ElementType.BYTE), value);
    }

    /**
     * @throws StaleRegionException if this is closed
     * @throws IllegalArgumentException if the elements are not floats
     */
    public void set(int index, float value) {
      bytes().putFloat(at(index, ElementType.FLOAT), value);
    }

    /**
     * @throws StaleRegionException if this is closed
     * @throws IllegalArgumentException if the elements are not longs
     */
    public void set(int index, long value) {
      bytes().putLong(at(index, ElementType.LONG), value);
    }
  }
}
