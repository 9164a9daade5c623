package io.idlalayer.middleware.embedding;

import java.util.Arrays;

/**
 * Rows of one layout in DRAM, of all tables that have it: pages of numbers, and for each row its
 * head in arrays beside them. Grows page by page up to its capacity. One thread.
 */
final class HotRows {
  static final int NONE = -1;

  /** Floats of a page, about: 256 KiB. */
  private static final int PAGE_FLOATS = 1 << 16;

  /** So that what is left over behind the last page is little. */
  private static final int FEWEST_PAGES = 16;

  /** Of a row, beside its numbers and the index. */
  private static final int HEAD_BYTES = 2 * Long.BYTES + 4 * Integer.BYTES + Short.BYTES + 2;

  private final int stride;
  private final int pageRows;
  private final int capacity;
  private float[][] pages = {};
  private int[] index = new int[2];
  private long[] rowKeys = {};

  /** Ids of the rows, which stores keep with them. */
  private long[] keys = {};

  private short[] tables = {};
  private int[] occurrences = {};
  private int[] lastUseSeconds = {};
  private int[] steps = {};
  private byte[] heat = {};
  private boolean[] dirty = {};
  private int[] free = {};
  private int freeCount;
  private int slots;
  private int size;

  /**
   * @param bytes of DRAM, heads and index included
   */
  HotRows(RowLayout layout, long bytes) {
    stride = layout.stride();
    long rows = bytes / rowBytes(layout);
    long pageful = Math.min(PAGE_FLOATS / stride, rows / FEWEST_PAGES);
    pageRows = (int) Long.highestOneBit(Math.max(1, pageful));
    capacity = (int) Math.min(rows / pageRows * pageRows, 1 << 28);
  }

  /** Bytes of DRAM that a resident row takes, when the tier is full. */
  static long rowBytes(RowLayout layout) {
    // The index has between 1.5 and 3 cells for each row.
    return (long) Float.BYTES * layout.stride() + HEAD_BYTES + 2 * Integer.BYTES;
  }

  int capacity() {
    return capacity;
  }

  int size() {
    return size;
  }

  /** Slots that were ever used; each below may hold a row. */
  int slots() {
    return slots;
  }

  boolean full() {
    return freeCount == 0 && slots >= capacity;
  }

  /** Bytes that are allocated. */
  long bytes() {
    return (long) pages.length * pageRows * stride * Float.BYTES
        + (long) rowKeys.length * HEAD_BYTES
        + (long) index.length * Integer.BYTES;
  }

  /** The slot of a row, or {@link #NONE}. */
  int find(long rowKey) {
    int mask = index.length - 1;
    for (int cell = (int) rowKey & mask; index[cell] != 0; cell = (cell + 1) & mask) {
      int slot = index[cell] - 1;
      if (rowKeys[slot] == rowKey) {
        return slot;
      }
    }
    return NONE;
  }

  /**
   * Takes a free slot for a row; there must be one. Its numbers are to be written by the caller.
   */
  int add(long rowKey, int table, long key) {
    if (freeCount == 0) {
      addPage();
    }
    int slot = free[--freeCount];
    rowKeys[slot] = rowKey;
    keys[slot] = key;
    tables[slot] = (short) table;
    dirty[slot] = false;
    heat[slot] = 0;
    enter(slot);
    size++;
    return slot;
  }

  private void enter(int slot) {
    int mask = index.length - 1;
    int cell = (int) rowKeys[slot] & mask;
    while (index[cell] != 0) {
      cell = (cell + 1) & mask;
    }
    index[cell] = slot + 1;
  }

  private void addPage() {
    int before = slots;
    if (before + pageRows > capacity) {
      throw new IllegalStateException("all %d rows are taken".formatted(capacity));
    }
    pages = Arrays.copyOf(pages, pages.length + 1);
    pages[pages.length - 1] = new float[pageRows * stride];
    slots = before + pageRows;
    if (rowKeys.length < slots) {
      growHeads();
    }
    for (int slot = slots - 1; slot >= before; slot--) {
      free[freeCount++] = slot;
    }
  }

  private void growHeads() {
    int length = (int) Math.min(capacity, Math.max(slots, 2L * rowKeys.length));
    rowKeys = Arrays.copyOf(rowKeys, length);
    keys = Arrays.copyOf(keys, length);
    tables = Arrays.copyOf(tables, length);
    occurrences = Arrays.copyOf(occurrences, length);
    lastUseSeconds = Arrays.copyOf(lastUseSeconds, length);
    steps = Arrays.copyOf(steps, length);
    heat = Arrays.copyOf(heat, length);
    dirty = Arrays.copyOf(dirty, length);
    free = Arrays.copyOf(free, length);
    int cells = Integer.highestOneBit(Math.max(1, length + length / 2 - 1)) << 1;
    if (index.length < cells) {
      index = new int[cells];
      for (int slot = 0; slot < slots - pageRows; slot++) {
        if (rowKeys[slot] != 0) {
          enter(slot);
        }
      }
    }
  }

  /** Frees a slot. */
  void remove(int slot) {
    int mask = index.length - 1;
    int cell = (int) rowKeys[slot] & mask;
    while (index[cell] != slot + 1) {
      cell = (cell + 1) & mask;
    }
    // Rows behind it that are not where they belong move up.
    int gap = cell;
    for (int next = (cell + 1) & mask; index[next] != 0; next = (next + 1) & mask) {
      int home = (int) rowKeys[index[next] - 1] & mask;
      if (((next - home) & mask) >= ((next - gap) & mask)) {
        index[gap] = index[next];
        gap = next;
      }
    }
    index[gap] = 0;
    rowKeys[slot] = 0;
    dirty[slot] = false;
    free[freeCount++] = slot;
    size--;
  }

  /** Whether a slot holds a row. */
  boolean used(int slot) {
    return rowKeys[slot] != 0;
  }

  long rowKey(int slot) {
    return rowKeys[slot];
  }

  /** How warm a row is, 0 to 127; what that means is for the policy. */
  int heat(int slot) {
    return heat[slot];
  }

  void heat(int slot, int warmth) {
    heat[slot] = (byte) Math.min(Byte.MAX_VALUE, warmth);
  }

  int occurrences(int slot) {
    return occurrences[slot];
  }

  int lastUseSeconds(int slot) {
    return lastUseSeconds[slot];
  }

  int table(int slot) {
    return tables[slot];
  }

  /** Whether the store has older numbers. */
  boolean dirty(int slot) {
    return dirty[slot];
  }

  void dirty(int slot, boolean newer) {
    dirty[slot] = newer;
  }

  /** The row's numbers and head, copied into a set. */
  void copyTo(int slot, RowSet set, int position) {
    System.arraycopy(
        pages[slot / pageRows], slot % pageRows * stride, set.values(), set.at(position), stride);
    set.kind(position, RowSet.Kind.ROW);
    set.use(position, occurrences[slot], lastUseSeconds[slot], steps[slot]);
  }

  /** Overwrites the row by that of a set. */
  void copyFrom(int slot, RowSet set, int position) {
    System.arraycopy(
        set.values(), set.at(position), pages[slot / pageRows], slot % pageRows * stride, stride);
    occurrences[slot] = set.occurrences(position);
    lastUseSeconds[slot] = set.lastUseSeconds(position);
    steps[slot] = set.steps(position);
  }

  /** Overwrites the row by a stored one. */
  void decode(int slot, StoredRow head, byte[] row) {
    StoredRow.floats(row, pages[slot / pageRows], slot % pageRows * stride);
    occurrences[slot] = head.occurrences();
    lastUseSeconds[slot] = head.lastUseSeconds();
    steps[slot] = head.steps();
  }

  /** The row as stores keep it. */
  byte[] encode(int slot) {
    StoredRow head =
        new StoredRow(
            tables[slot] & 0xFFFF,
            RowSet.Kind.ROW,
            keys[slot],
            occurrences[slot],
            lastUseSeconds[slot],
            steps[slot]);
    return head.encode(pages[slot / pageRows], slot % pageRows * stride, stride);
  }
}
