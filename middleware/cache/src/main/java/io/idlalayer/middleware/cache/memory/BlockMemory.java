package io.idlalayer.middleware.cache.memory;

import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Allocates blocks of any size in off-heap regions by two-level segregated fit (TLSF, Masmano
 * 2004), which allocates and frees in O(1) and joins free neighbours at once. A block needs 8 bytes
 * in addition to its payload, and its size is rounded up to a multiple of 16.
 *
 * <p>Regions are allocated when they are first needed and released when they are dropped; their
 * bytes are freed when the garbage collector finds that no reader references them any more, so the
 * worst that a late reader can read is old bytes. Only one thread at a time is allowed to change
 * the memory. {@link #read} can run at the same time; its caller must then check that nothing
 * changed.
 *
 * <pre>
 *  block: |size in units, bit 31: free (4)|units of the block before it (4)| payload ...          |
 *  free:  |                              |                                | next free | last free |
 * </pre>
 */
public final class BlockMemory {
  /** The value that means "no address" or "no region". */
  public static final int NONE = -1;

  private static final int UNIT_SHIFT = 4;
  private static final int UNIT = 1 << UNIT_SHIFT;
  private static final int HEADER = 8;
  private static final int FREE = 1 << 31;
  private static final int FINE_SHIFT = 4;
  private static final int FINE = 1 << FINE_SHIFT;
  private static final int CLASSES = 32 * FINE;

  private final RegionSource source;
  private final int regionUnits;
  private final int regionShift;
  private final int[] firstFree = new int[CLASSES];
  private final long[] nonEmpty = new long[CLASSES >> 6];
  private @Nullable ByteBuffer[] regions = new ByteBuffer[0];
  private int regionCount;
  private long allocatedUnits;

  /**
   * Creates a memory without regions, which will be direct buffers.
   *
   * @param regionBytes size of a region and so of the largest block, a power of two of at least
   *     4,096
   */
  public BlockMemory(int regionBytes) {
    this(regionBytes, ByteBuffer::allocateDirect);
  }

  /**
   * Creates a memory without regions, which will be buffers from a given source.
   *
   * @param source returns the bytes of a region, or throws an {@link OutOfMemoryError}
   */
  public BlockMemory(int regionBytes, IntFunction<ByteBuffer> source) {
    this(regionBytes, (index, bytes) -> source.apply(bytes));
  }

  /**
   * Creates a memory without regions. It will get its regions from a given source, and return
   * dropped regions to it.
   */
  public BlockMemory(int regionBytes, RegionSource source) {
    this.source = source;
    if (regionBytes < 4096 || Integer.bitCount(regionBytes) != 1) {
      throw new IllegalArgumentException(
          "a region of %d bytes; a power of two from 4096 is needed".formatted(regionBytes));
    }
    regionUnits = regionBytes >> UNIT_SHIFT;
    regionShift = Integer.numberOfTrailingZeros(regionUnits);
    Arrays.fill(firstFree, NONE);
  }

  /** Returns the largest number of payload bytes of a block. */
  public int maxPayloadBytes() {
    return (regionUnits << UNIT_SHIFT) - HEADER;
  }

  /** Returns the bytes that a block with {@code payloadBytes} bytes of payload occupies. */
  public static long occupiedBytes(int payloadBytes) {
    return (long) units(payloadBytes) << UNIT_SHIFT;
  }

  private static int units(int payloadBytes) {
    return (payloadBytes + HEADER + UNIT - 1) >> UNIT_SHIFT;
  }

  /** Returns the size of one region in bytes. */
  public int bytesPerRegion() {
    return regionUnits << UNIT_SHIFT;
  }

  /** Returns the off-heap bytes of all present regions. */
  public long regionBytes() {
    return ((long) regionCount * regionUnits) << UNIT_SHIFT;
  }

  /** Returns the bytes of all allocated blocks. */
  public long allocatedBytes() {
    return allocatedUnits << UNIT_SHIFT;
  }

  /**
   * Adds a region of free space.
   *
   * @return false if the source has no region now but can have one later; in this case nothing has
   *     changed
   * @throws OutOfMemoryError if there is no memory for a region; in this case nothing has changed
   */
  public boolean grow() {
    int index = nextRegion();
    ByteBuffer region = source.take(index, bytesPerRegion());
    if (region == null) {
      return false;
    }
    place(index, region);
    int address = index << regionShift;
    header(address, regionUnits | FREE, 0);
    link(address, regionUnits);
    return true;
  }

  /** Returns the index that the next region will have. */
  public int nextRegion() {
    int index = 0;
    while (index < regions.length && regions[index] != null) {
      index++;
    }
    return index;
  }

  private void place(int index, ByteBuffer bytes) {
    ByteBuffer region = bytes.order(ByteOrder.nativeOrder());
    if (index == regions.length) {
      regions = Arrays.copyOf(regions, Math.max(4, 2 * regions.length));
    }
    // A concurrent reader must not find a buffer whose address is not stored yet.
    VarHandle.releaseFence();
    regions[index] = region;
    regionCount++;
  }

  /**
   * Adds a region that already contains blocks. Their payloads do not change; all other bytes of
   * the region are overwritten.
   *
   * @param region the bytes of the region, whose index will be {@link #nextRegion}
   * @param payloadOffsets offsets in bytes of the payloads in the region, ascending; each is 8 more
   *     than a multiple of 16, and the blocks do not overlap
   * @param lengths lengths of the payloads in bytes
   * @return the address of each block
   */
  public int[] adopt(ByteBuffer region, int[] payloadOffsets, int[] lengths) {
    int index = nextRegion();
    place(index, region);
    int first = index << regionShift;
    int end = first + regionUnits;
    int[] addresses = new int[lengths.length];
    int next = first;
    int before = 0;
    for (int i = 0; i < lengths.length; i++) {
      int address = first + ((payloadOffsets[i] - HEADER) >> UNIT_SHIFT);
      if (address > next) {
        header(next, (address - next) | FREE, before);
        link(next, address - next);
        before = address - next;
      }
      int units = units(lengths[i]);
      header(address, units, before);
      allocatedUnits += units;
      addresses[i] = address;
      before = units;
      next = address + units;
    }
    if (next < end) {
      header(next, (end - next) | FREE, before);
      link(next, end - next);
    }
    return addresses;
  }

  /** Returns the offset in bytes of a block's payload in its region. */
  public int payloadOffset(int address) {
    return offset(address) + HEADER;
  }

  /** Returns the highest index of a region, or {@link #NONE}. */
  public int lastRegion() {
    for (int i = regions.length - 1; i >= 0; i--) {
      if (regions[i] != null) {
        return i;
      }
    }
    return NONE;
  }

  /** Returns the index of the region that holds a block. */
  public int regionOf(int address) {
    return address >>> regionShift;
  }

  /**
   * Returns the first address of a range of bytes whose blocks the caller can free to make room for
   * another payload. The range overlaps the given block, is inside its region and is long enough.
   * When all blocks that {@linkplain #overlaps overlap} the range are freed, the other payload can
   * be allocated.
   *
   * @param payloadBytes size of the other payload, at most {@link #maxPayloadBytes}
   */
  public int range(int address, int payloadBytes) {
    int atMost = (regionOf(address) << regionShift) + regionUnits - units(payloadBytes);
    return Math.min(address, atMost);
  }

  /**
   * Returns whether a block overlaps a range of addresses. The range begins at {@code start} and is
   * as long as a block for {@code rangePayloadBytes}.
   */
  public static boolean overlaps(int address, int payloadBytes, int start, int rangePayloadBytes) {
    return address < (long) start + units(rangePayloadBytes)
        && start < (long) address + units(payloadBytes);
  }

  /**
   * Removes a region in which no block is allocated.
   *
   * @throws IllegalStateException if a block is allocated in it
   */
  public void drop(int region) {
    int address = region << regionShift;
    if (size(address) != (regionUnits | FREE)) {
      throw new IllegalStateException("region " + region + " still holds blocks");
    }
    unlink(address, regionUnits);
    regions[region] = null;
    regionCount--;
    source.give(region);
  }

  /**
   * Allocates a block for a payload of {@code payloadBytes} bytes.
   *
   * @return address of the block, or {@link #NONE} if no free piece is large enough
   */
  public int allocate(int payloadBytes) {
    int units = units(payloadBytes);
    int address = find(units);
    if (address == NONE) {
      return NONE;
    }
    int found = size(address) & ~FREE;
    unlink(address, found);
    int rest = found - units;
    if (rest > 0) {
      int tail = address + units;
      header(tail, rest | FREE, units);
      link(tail, rest);
      before(address + found, rest);
    }
    setSize(address, units);
    allocatedUnits += units;
    return address;
  }

  /** Frees a block and joins it with free neighbours. */
  public void free(int address) {
    int units = size(address);
    if (units <= 0) {
      throw new IllegalStateException("block " + address + " is not allocated");
    }
    allocatedUnits -= units;
    int start = address;
    int total = units;
    int next = address + units;
    if (inRegion(next, address) && size(next) < 0) {
      int nextUnits = size(next) & ~FREE;
      unlink(next, nextUnits);
      total += nextUnits;
    }
    int beforeUnits = before(address);
    if (beforeUnits > 0 && size(address - beforeUnits) < 0) {
      start = address - beforeUnits;
      unlink(start, beforeUnits);
      total += beforeUnits;
    }
    setSize(start, total | FREE);
    before(start + total, total);
    link(start, total);
  }

  /** Writes bytes of an array to the start of a block's payload. */
  public void write(int address, byte[] bytes, int from, int length) {
    region(address).put(offset(address) + HEADER, bytes, from, length);
  }

  /**
   * Copies bytes from the start of a block's payload into an array.
   *
   * @return false if there cannot be a block with this length at the address, which is possible if
   *     a reader runs at the same time as a writer
   */
  public boolean read(int address, byte[] into, int at, int length) {
    @Nullable ByteBuffer[] now = regions;
    int index = address >>> regionShift;
    if (address < 0 || index >= now.length) {
      return false;
    }
    ByteBuffer region = now[index];
    int offset = offset(address) + HEADER;
    if (region == null || length < 0 || offset > region.capacity() - length) {
      return false;
    }
    region.get(offset, into, at, length);
    return true;
  }

  private ByteBuffer region(int address) {
    ByteBuffer region = regions[address >>> regionShift];
    if (region == null) {
      throw new IllegalStateException("block " + address + " lies in a dropped region");
    }
    return region;
  }

  private int offset(int address) {
    return (address & (regionUnits - 1)) << UNIT_SHIFT;
  }

  private boolean inRegion(int address, int neighbour) {
    return address >>> regionShift == neighbour >>> regionShift;
  }

  private int size(int address) {
    return region(address).getInt(offset(address));
  }

  private void setSize(int address, int size) {
    region(address).putInt(offset(address), size);
  }

  private int before(int address) {
    return region(address).getInt(offset(address) + 4);
  }

  /**
   * Sets the length of the block before an address, in the header at the address; does nothing at
   * the end of the region.
   */
  private void before(int address, int units) {
    if (inRegion(address, address - units)) {
      region(address).putInt(offset(address) + 4, units);
    }
  }

  private void header(int address, int size, int before) {
    setSize(address, size);
    region(address).putInt(offset(address) + 4, before);
  }

  private int nextFree(int address) {
    return region(address).getInt(offset(address) + HEADER);
  }

  private int lastFree(int address) {
    return region(address).getInt(offset(address) + HEADER + 4);
  }

  /** Returns the size class in which a free piece of {@code units} units is stored. */
  private static int classOf(int units) {
    int log = 31 - Integer.numberOfLeadingZeros(units);
    if (log <= FINE_SHIFT) {
      return units;
    }
    return ((log - FINE_SHIFT) << FINE_SHIFT) + (units >>> (log - FINE_SHIFT));
  }

  /** Returns the smallest size class in which all pieces have at least {@code units} units. */
  private static int classFor(int units) {
    int log = 31 - Integer.numberOfLeadingZeros(units);
    return log <= FINE_SHIFT ? units : classOf(units + (1 << (log - FINE_SHIFT)) - 1);
  }

  private int find(int units) {
    int from = classFor(units);
    int word = from >> 6;
    long mask = -1L << from;
    while (word < nonEmpty.length) {
      long here = nonEmpty[word] & mask;
      if (here != 0) {
        return firstFree[(word << 6) + Long.numberOfTrailingZeros(here)];
      }
      word++;
      mask = -1L;
    }
    // Pieces of the next lower class can fit too, so its first piece is checked.
    int near = firstFree[classOf(units)];
    return near != NONE && (size(near) & ~FREE) >= units ? near : NONE;
  }

  private void link(int address, int units) {
    int sizeClass = classOf(units);
    int head = firstFree[sizeClass];
    ByteBuffer region = region(address);
    region.putInt(offset(address) + HEADER, head);
    region.putInt(offset(address) + HEADER + 4, NONE);
    if (head != NONE) {
      region(head).putInt(offset(head) + HEADER + 4, address);
    }
    firstFree[sizeClass] = address;
    nonEmpty[sizeClass >> 6] |= 1L << sizeClass;
  }

  private void unlink(int address, int units) {
    int sizeClass = classOf(units);
    int next = nextFree(address);
    int last = lastFree(address);
    if (last == NONE) {
      firstFree[sizeClass] = next;
      if (next == NONE) {
        nonEmpty[sizeClass >> 6] &= ~(1L << sizeClass);
      }
    } else {
      region(last).putInt(offset(last) + HEADER, next);
    }
    if (next != NONE) {
      region(next).putInt(offset(next) + HEADER + 4, last);
    }
  }
}
