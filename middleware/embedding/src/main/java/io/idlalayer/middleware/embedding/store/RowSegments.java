package io.idlalayer.middleware.embedding.store;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Stores encoded rows of different lengths, one after the other in segments of memory. A row takes
 * little more than its bytes, because it needs no object and no slot of a fixed size. Removed rows
 * leave gaps. A segment without rows is freed at once. If there is no room for a new segment, the
 * rows of the segment with the largest gaps move to another one (as in a log-structured memory,
 * Rumble et al., FAST 2014). One thread.
 */
final class RowSegments {
  /** Location that stands for no row. */
  static final int NONE = -1;

  /** Largest number of bytes of a row. */
  static final int LONGEST = (1 << 22) - 1;

  /** Number of different stamps: each stamp is below it. */
  static final int STAMPS = 1 << 10;

  /** Largest number of bytes of all rows, so that locations have 30 bits. */
  static final long MOST_BYTES = 2L << 30;

  private static final int LEAST_SEGMENT_BYTES = 1 << 10;
  private static final int MOST_SEGMENT_BYTES = 256 << 10;

  /**
   * Approximate number of segments into which the bytes of all rows are divided. One of them is
   * kept free, for the rows of another one to move to.
   */
  private static final int SEGMENTS = 64;

  /**
   * Offset of a row's length in its entry; an entry is the row key, or 0 in a gap; the row's length
   * and its stamp; the row.
   */
  private static final int LENGTH_AT = Long.BYTES;

  private static final int HEAD_BYTES = Long.BYTES + Integer.BYTES;
  private static final int LENGTH_BITS = 22;

  /** Multiple at which entries begin, so that their locations are smaller numbers. */
  private static final int ALIGNMENT = Integer.BYTES;

  private static final VarHandle INTS =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.nativeOrder());
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());

  private final Moves moves;
  private final int segmentBytes;

  /** Number of bits of a location that hold the place within its segment. */
  private final int offsetBits;

  private byte[][] segments = new byte[4][];

  /**
   * For each segment, the bytes of its entries and gaps; the next array has the bytes of its
   * entries alone.
   */
  private int[] used = new int[4];

  private int[] live = new int[4];

  /** The segment to which entries are added, or {@link #NONE}. */
  private int open = NONE;

  private long bytes;

  /**
   * Whether all segments are dense: none was found to have large gaps since the last row was
   * removed.
   */
  private boolean dense;

  /** Receives the new locations of rows that move to another segment. */
  @FunctionalInterface
  interface Moves {
    /** Notifies that the row with this key has moved from one location to another. */
    void moved(long rowKey, int from, int to);
  }

  /** Receives the locations of rows, one after the other. */
  @FunctionalInterface
  interface Visitor {
    /** Receives the location of a row. It may free this row, and changes no other. */
    void row(int location);
  }

  /**
   * @param mostBytes most bytes of all rows, at least 0; more than 2 GiB are not used
   */
  RowSegments(long mostBytes, Moves moves) {
    this.moves = moves;
    long share = Math.min(mostBytes, MOST_BYTES) / SEGMENTS;
    segmentBytes =
        Integer.highestOneBit(
            (int) Math.min(MOST_SEGMENT_BYTES, Math.max(LEAST_SEGMENT_BYTES, share)));
    offsetBits = Integer.numberOfTrailingZeros(segmentBytes / ALIGNMENT);
  }

  /** Returns the number of bits of a location if all rows take this many bytes at most. */
  static int locationBits(long mostBytes) {
    // Twice, for the segment that was just started.
    long locations = 2 * Math.min(mostBytes, MOST_BYTES) / ALIGNMENT + LEAST_SEGMENT_BYTES;
    return Math.min(30, Long.SIZE - Long.numberOfLeadingZeros(locations));
  }

  /**
   * Returns the number of bytes that must stay free for the segment to which the rows of another
   * one move.
   */
  int spareBytes() {
    return segmentBytes;
  }

  /** Returns the bytes of DRAM that all segments take. */
  long bytes() {
    return bytes;
  }

  /**
   * Adds a row to the open segment, or to a new one.
   *
   * @param rowKey not 0
   * @param stamp below {@link #STAMPS}
   * @param mostBytes that all rows may take with this one, the free segment included
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

  /** Counts the bytes of an entry that was written to a segment; returns the entry's location. */
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
      // The row gets a segment of its own, so that it begins at its start.
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
   * Moves the rows of the segment with the largest gaps to a new segment, to which rows are added
   * from then on.
   *
   * @return whether a segment was emptied: one whose gaps are at least a quarter of its bytes and
   *     at least as large as this entry
   */
  private boolean emptied(int entry) {
    if (dense) {
      return false;
    }
    int victim = NONE;
    int least = segmentBytes - Math.max(entry, segmentBytes / 4) + 1;
    for (int segment = 0; segment < segments.length; segment++) {
      // A segment of one long entry has no gaps.
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

  /** Removes the row at a location. */
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

  /** Passes the locations of all rows to a visitor. */
  void visit(Visitor visitor) {
    for (int segment = 0; segment < segments.length; segment++) {
      byte[] in = segments[segment];
      // A visitor may free the last row of a segment, which is then freed.
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

  /** Returns the number of bytes of the row at a location. */
  int length(int location) {
    return lengthAt(segments[segmentOf(location)], offset(location));
  }

  /** Returns a copy of the row at a location, or {@code empty} if the row has no bytes. */
  byte[] row(int location, byte[] empty) {
    byte[] in = segments[segmentOf(location)];
    int from = offset(location);
    int length = lengthAt(in, from);
    return length == 0
        ? empty
        : Arrays.copyOfRange(in, from + HEAD_BYTES, from + HEAD_BYTES + length);
  }

  /**
   * Overwrites the row at a location.
   *
   * @param row the new row, as long as the old one
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
