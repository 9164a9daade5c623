package io.idlalayer.middleware.embedding;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Rows as stores keep them, of any lengths, one behind the other in segments, so that a row takes
 * little more than its bytes: no object, and no place of a fixed size. Removed rows leave gaps. A
 * segment without rows is given back at once; the one with the largest gaps is emptied into another
 * one when there is no room for a new one (as in a log-structured memory, Rumble et al., FAST 2014,
 * with one thread). One thread.
 */
final class RowSegments {
  /** Where no row is. */
  static final int NONE = -1;

  /** Bytes of the longest row. */
  static final int LONGEST = (1 << 22) - 1;

  /** Stamps are below. */
  static final int STAMPS = 1 << 10;

  /** So that locations have 30 bits. */
  static final long MOST_BYTES = 2L << 30;

  private static final int LEAST_SEGMENT_BYTES = 1 << 10;
  private static final int MOST_SEGMENT_BYTES = 256 << 10;

  /** Segments that all bytes have, about; one of them is set aside for emptying others. */
  private static final int SEGMENTS = 64;

  /** An entry: the row key, or 0 in a gap; the row's length and its stamp; the row. */
  private static final int LENGTH_AT = Long.BYTES;

  private static final int HEAD_BYTES = Long.BYTES + Integer.BYTES;
  private static final int LENGTH_BITS = 22;

  /** Entries begin at multiples of it, so that their locations are smaller numbers. */
  private static final int ALIGNMENT = Integer.BYTES;

  private static final VarHandle INTS =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.nativeOrder());
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());

  private final Moves moves;
  private final int segmentBytes;

  /** Bits of a location that say where in its segment. */
  private final int offsetBits;

  private byte[][] segments = new byte[4][];

  /** Bytes of each segment that entries and gaps take, and those that entries take. */
  private int[] used = new int[4];

  private int[] live = new int[4];

  /** The segment that entries are added to, or {@link #NONE}. */
  private int open = NONE;

  private long bytes;

  /** Whether no segment has large gaps, as far as is known since the last row was removed. */
  private boolean dense;

  /** Hears of rows that lie elsewhere from now on. */
  @FunctionalInterface
  interface Moves {
    /** The row with this key has moved. */
    void moved(long rowKey, int from, int to);
  }

  /** Looks at rows one after the other. */
  @FunctionalInterface
  interface Visitor {
    /** May free this row, and changes no other. */
    void row(int location);
  }

  /**
   * @param mostBytes that will be asked for, at least 0; what is beyond 2 GiB is not used
   */
  RowSegments(long mostBytes, Moves moves) {
    this.moves = moves;
    long share = Math.min(mostBytes, MOST_BYTES) / SEGMENTS;
    segmentBytes =
        Integer.highestOneBit(
            (int) Math.min(MOST_SEGMENT_BYTES, Math.max(LEAST_SEGMENT_BYTES, share)));
    offsetBits = Integer.numberOfTrailingZeros(segmentBytes / ALIGNMENT);
  }

  /** Bits that a location has at most if all takes so many bytes. */
  static int locationBits(long mostBytes) {
    // Twice, for the segment that has just been begun.
    long locations = 2 * Math.min(mostBytes, MOST_BYTES) / ALIGNMENT + LEAST_SEGMENT_BYTES;
    return Math.min(30, Long.SIZE - Long.numberOfLeadingZeros(locations));
  }

  /** Bytes that must be left for a segment that others are emptied into. */
  int spareBytes() {
    return segmentBytes;
  }

  /** Bytes of DRAM. */
  long bytes() {
    return bytes;
  }

  /**
   * Adds a row.
   *
   * @param rowKey not 0
   * @param stamp below {@link #STAMPS}
   * @param mostBytes that all may take then, what is set aside included
   * @return its location, or {@link #NONE} if it has no room or is longer than {@link #LONGEST}
   */
  int add(long rowKey, byte[] row, int stamp, long mostBytes) {
    if (row.length > LONGEST) {
      return NONE;
    }
    int entry = entryBytes(row.length);
    int segment = segmentFor(entry, Math.min(mostBytes, MOST_BYTES));
    if (segment == NONE) {
      return NONE;
    }
    byte[] to = segments[segment];
    int at = used[segment];
    LONGS.set(to, at, rowKey);
    INTS.set(to, at + LENGTH_AT, stamp << LENGTH_BITS | row.length);
    System.arraycopy(row, 0, to, at + HEAD_BYTES, row.length);
    return took(segment, entry);
  }

  /** The last bytes of a segment have become an entry; its location. */
  private int took(int segment, int entry) {
    int location = segment << offsetBits | used[segment] / ALIGNMENT;
    used[segment] += entry;
    live[segment] += entry;
    return location;
  }

  private int segmentFor(int entry, long mostBytes) {
    if (open != NONE && used[open] + entry <= segments[open].length) {
      return open;
    }
    if (entry > segmentBytes) {
      // Alone, so that it begins where its location can say.
      return bytes + entry + segmentBytes <= mostBytes ? begin(entry) : NONE;
    }
    if (bytes + 2L * segmentBytes <= mostBytes) {
      open = begin(segmentBytes);
      return open;
    }
    return bytes + segmentBytes <= mostBytes && emptied(entry) ? open : NONE;
  }

  private int begin(int length) {
    int segment = 0;
    while (segment < segments.length && segments[segment] != null) {
      segment++;
    }
    if (segment == segments.length) {
      segments = Arrays.copyOf(segments, 2 * segment);
      used = Arrays.copyOf(used, 2 * segment);
      live = Arrays.copyOf(live, 2 * segment);
    }
    segments[segment] = new byte[length];
    used[segment] = 0;
    live[segment] = 0;
    bytes += length;
    return segment;
  }

  /**
   * Empties the segment with the largest gaps into a new one, which is the open one then.
   *
   * @return whether there was one with gaps of a quarter, and of this entry
   */
  private boolean emptied(int entry) {
    if (dense) {
      return false;
    }
    int victim = NONE;
    int least = segmentBytes - Math.max(entry, segmentBytes / 4) + 1;
    for (int segment = 0; segment < segments.length; segment++) {
      // One that is longer than others has no gaps.
      if (live[segment] < least && segments[segment] != null) {
        victim = segment;
        least = live[segment];
      }
    }
    if (victim == NONE) {
      dense = entry <= segmentBytes / 4;
      return false;
    }
    open = begin(segmentBytes);
    move(victim, open);
    return true;
  }

  private void move(int from, int into) {
    byte[] source = segments[from];
    byte[] target = segments[into];
    int end = used[from];
    for (int at = 0; at < end; ) {
      int entry = entryBytes(lengthAt(source, at));
      long rowKey = (long) LONGS.get(source, at);
      if (rowKey != 0) {
        System.arraycopy(source, at, target, used[into], entry);
        moves.moved(rowKey, from << offsetBits | at / ALIGNMENT, took(into, entry));
      }
      at += entry;
    }
    giveBack(from);
  }

  private void giveBack(int segment) {
    bytes -= segments[segment].length;
    segments[segment] = null;
    used[segment] = 0;
    live[segment] = 0;
    if (segment == open) {
      open = NONE;
    }
  }

  /** Removes a row. */
  void free(int location) {
    int segment = segmentOf(location);
    byte[] in = segments[segment];
    int at = offset(location);
    LONGS.set(in, at, 0L);
    dense = false;
    live[segment] -= entryBytes(lengthAt(in, at));
    if (live[segment] == 0) {
      giveBack(segment);
    }
  }

  /** Calls for each row. */
  void visit(Visitor visitor) {
    for (int segment = 0; segment < segments.length; segment++) {
      byte[] in = segments[segment];
      // A visitor may free the last row of a segment, which is given back then.
      for (int at = 0; at < used[segment]; at += entryBytes(lengthAt(in, at))) {
        if ((long) LONGS.get(in, at) != 0) {
          visitor.row(segment << offsetBits | at / ALIGNMENT);
        }
      }
    }
  }

  long rowKey(int location) {
    return (long) LONGS.get(segments[segmentOf(location)], offset(location));
  }

  /** Bytes of a row. */
  int length(int location) {
    return lengthAt(segments[segmentOf(location)], offset(location));
  }

  /** A copy of a row; makes no array for one without bytes. */
  byte[] row(int location, byte[] empty) {
    byte[] in = segments[segmentOf(location)];
    int from = offset(location);
    int length = lengthAt(in, from);
    return length == 0
        ? empty
        : Arrays.copyOfRange(in, from + HEAD_BYTES, from + HEAD_BYTES + length);
  }

  /**
   * Overwrites a row.
   *
   * @param row as long as the one before
   */
  void overwrite(int location, byte[] row) {
    System.arraycopy(
        row, 0, segments[segmentOf(location)], offset(location) + HEAD_BYTES, row.length);
  }

  int stamp(int location) {
    return (int) INTS.get(segments[segmentOf(location)], offset(location) + LENGTH_AT)
        >>> LENGTH_BITS;
  }

  void stamp(int location, int stamp) {
    byte[] in = segments[segmentOf(location)];
    int at = offset(location);
    INTS.set(in, at + LENGTH_AT, stamp << LENGTH_BITS | lengthAt(in, at));
  }

  private int segmentOf(int location) {
    return location >>> offsetBits;
  }

  private int offset(int location) {
    return (location & ((1 << offsetBits) - 1)) * ALIGNMENT;
  }

  private static int lengthAt(byte[] segment, int at) {
    return (int) INTS.get(segment, at + LENGTH_AT) & LONGEST;
  }

  private static int entryBytes(int length) {
    return HEAD_BYTES + (length + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  }
}
