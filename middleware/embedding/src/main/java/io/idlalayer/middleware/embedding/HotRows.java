package io.idlalayer.middleware.embedding;

import java.util.Arrays;

/**
 * Rows of one layout in DRAM, of all tables that have it: pages of numbers, and for each row its
 * head in arrays beside them; what a use reads and changes of a head lies together, because every
 * array that a use touches costs it a miss of the processor's cache. Grows page by page up to its
 * capacity. One thread.
 */
final class HotRows {
  static final int NONE = -1;

  /** Floats of a page, about: 256 KiB. */
  private static final int PAGE_FLOATS = 1 << 16;

  /** So that what is left over behind the last page is little. */
  private static final int FEWEST_PAGES = 16;

  /** Ints of a head: occurrences, time of the last use, steps, marks. */
  private static final int HEAD_INTS = 4;

  private static final int LAST_USE = 1;
  private static final int STEPS = 2;

  /** Table in the upper half, then how warm the row is, then whether it is dirty. */
  private static final int MARKS = 3;

  private static final int DIRTY = 1;
  private static final int HEAT_SHIFT = 8;
  private static final int HEAT_MASK = 0xFF << HEAT_SHIFT;
  private static final int TABLE_SHIFT = 16;

  /** Of a row, beside its numbers and the index. */
  private static final int HEAD_BYTES = 2 * Long.BYTES + HEAD_INTS * Integer.BYTES;

  /** Cells of the index for two rows. */
  private static final int CELLS_FOR_TWO = 3;

  /** Rows whose cells are read before the first is looked at. */
  private static final int FOUND_AT_ONCE = 64;

  private final int stride;
  private final int pageRows;
  private final int capacity;
  private float[][] pages = {};
  private int[] index = new int[4];
  private long[] rowKeys = {};

  /** Ids of the rows, which stores keep with them. */
  private long[] keys = {};

  /** Free slots are chained through the first int of their heads. */
  private int[] heads = {};

  private int firstFree = NONE;
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
    return (long) Float.BYTES * layout.stride()
        + HEAD_BYTES
        + Integer.BYTES * CELLS_FOR_TWO / 2
        + FrequencyPolicy.BYTES_PER_ROW;
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
    return firstFree == NONE && slots >= capacity;
  }

  /** Bytes that are allocated. */
  long bytes() {
    return (long) pages.length * pageRows * stride * Float.BYTES
        + (long) rowKeys.length * HEAD_BYTES
        + (long) index.length * Integer.BYTES;
  }

  /** Where the search for a row begins. */
  private int home(long rowKey) {
    return (int) (((rowKey >>> Integer.SIZE) * index.length) >>> Integer.SIZE);
  }

  private int after(int cell) {
    return cell + 1 == index.length ? 0 : cell + 1;
  }

  /** The slot of a row, or {@link #NONE}. */
  int find(long rowKey) {
    for (int cell = home(rowKey); index[cell] != 0; cell = after(cell)) {
      int slot = index[cell] - 1;
      if (rowKeys[slot] == rowKey) {
        return slot;
      }
    }
    return NONE;
  }

  /**
   * The slots of many rows. What all of them need first is read before what the first needs next,
   * so that the processor waits for many at a time.
   *
   * @param count of the rows that count
   * @param found takes the slots, {@link #NONE} for rows that are not there
   */
  void find(long[] rows, int count, int[] found) {
    int[] cells = new int[FOUND_AT_ONCE];
    for (int from = 0; from < count; from += FOUND_AT_ONCE) {
      int length = Math.min(FOUND_AT_ONCE, count - from);
      for (int i = 0; i < length; i++) {
        cells[i] = index[home(rows[from + i])];
      }
      for (int i = 0; i < length; i++) {
        long rowKey = rows[from + i];
        int slot = cells[i] - 1;
        found[from + i] = slot < 0 || rowKeys[slot] == rowKey ? slot : find(rowKey);
      }
    }
  }

  /**
   * Takes a free slot for a row; there must be one. Its numbers are to be written by the caller.
   */
  int add(long rowKey, int table, long key) {
    if (firstFree == NONE) {
      addPage();
    }
    int slot = firstFree;
    firstFree = heads[slot * HEAD_INTS];
    rowKeys[slot] = rowKey;
    keys[slot] = key;
    heads[slot * HEAD_INTS + MARKS] = table << TABLE_SHIFT;
    enter(slot);
    size++;
    return slot;
  }

  private void enter(int slot) {
    int cell = home(rowKeys[slot]);
    while (index[cell] != 0) {
      cell = after(cell);
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
      free(slot);
    }
  }

  private void free(int slot) {
    heads[slot * HEAD_INTS] = firstFree;
    firstFree = slot;
  }

  private void growHeads() {
    int length = (int) Math.min(capacity, Math.max(slots, 2L * rowKeys.length));
    rowKeys = Arrays.copyOf(rowKeys, length);
    keys = Arrays.copyOf(keys, length);
    heads = Arrays.copyOf(heads, length * HEAD_INTS);
    // One cell must stay empty, for searches to end.
    index = new int[(int) ((long) length * CELLS_FOR_TWO / 2) + 2];
    for (int slot = 0; slot < slots - pageRows; slot++) {
      if (rowKeys[slot] != 0) {
        enter(slot);
      }
    }
  }

  /** Frees a slot. */
  void remove(int slot) {
    int cell = home(rowKeys[slot]);
    while (index[cell] != slot + 1) {
      cell = after(cell);
    }
    // Rows behind it that are not where they belong move up.
    int gap = cell;
    for (int next = after(cell); index[next] != 0; next = after(next)) {
      int home = home(rowKeys[index[next] - 1]);
      if (distance(home, next) >= distance(gap, next)) {
        index[gap] = index[next];
        gap = next;
      }
    }
    index[gap] = 0;
    rowKeys[slot] = 0;
    heads[slot * HEAD_INTS + MARKS] = 0;
    free(slot);
    size--;
  }

  private int distance(int from, int to) {
    return to >= from ? to - from : to - from + index.length;
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
    return (heads[slot * HEAD_INTS + MARKS] & HEAT_MASK) >> HEAT_SHIFT;
  }

  void heat(int slot, int warmth) {
    int at = slot * HEAD_INTS + MARKS;
    heads[at] = (heads[at] & ~HEAT_MASK) | (Math.min(Byte.MAX_VALUE, warmth) << HEAT_SHIFT);
  }

  int occurrences(int slot) {
    return heads[slot * HEAD_INTS];
  }

  int lastUseSeconds(int slot) {
    return heads[slot * HEAD_INTS + LAST_USE];
  }

  void lastUse(int slot, int seconds) {
    heads[slot * HEAD_INTS + LAST_USE] = seconds;
  }

  /**
   * L2 norm of a row's weights.
   *
   * @param weights how many of its numbers they are
   */
  double norm(int slot, int weights) {
    return StoredRow.norm(pages[slot / pageRows], slot % pageRows * stride, weights);
  }

  private int steps(int slot) {
    return heads[slot * HEAD_INTS + STEPS];
  }

  int table(int slot) {
    return heads[slot * HEAD_INTS + MARKS] >>> TABLE_SHIFT;
  }

  /** Whether the store has older numbers. */
  boolean dirty(int slot) {
    return (heads[slot * HEAD_INTS + MARKS] & DIRTY) != 0;
  }

  void dirty(int slot, boolean newer) {
    int at = slot * HEAD_INTS + MARKS;
    heads[at] = newer ? heads[at] | DIRTY : heads[at] & ~DIRTY;
  }

  private void use(int slot, int occurrences, int lastUseSeconds, int steps) {
    int at = slot * HEAD_INTS;
    heads[at] = occurrences;
    heads[at + LAST_USE] = lastUseSeconds;
    heads[at + STEPS] = steps;
  }

  /** The row's numbers and head, copied into a set. */
  void copyTo(int slot, RowSet set, int position) {
    // A set for predictions has no updater's state.
    int count = set.layout().stride();
    System.arraycopy(
        pages[slot / pageRows], slot % pageRows * stride, set.values(), set.at(position), count);
    set.kind(position, RowSet.Kind.ROW);
    set.use(position, occurrences(slot), lastUseSeconds(slot), steps(slot));
  }

  /** Overwrites the row by that of a set. */
  void copyFrom(int slot, RowSet set, int position) {
    System.arraycopy(
        set.values(), set.at(position), pages[slot / pageRows], slot % pageRows * stride, stride);
    use(slot, set.occurrences(position), set.lastUseSeconds(position), set.steps(position));
  }

  /** Overwrites the row by a stored one. */
  void decode(int slot, StoredRow head, byte[] row) {
    StoredRow.floats(row, pages[slot / pageRows], slot % pageRows * stride, stride);
    use(slot, head.occurrences(), head.lastUseSeconds(), head.steps());
  }

  /** The row as stores keep it. */
  byte[] encode(int slot) {
    StoredRow head =
        new StoredRow(
            table(slot),
            RowSet.Kind.ROW,
            keys[slot],
            occurrences(slot),
            lastUseSeconds(slot),
            steps(slot));
    return head.encode(pages[slot / pageRows], slot % pageRows * stride, stride);
  }
}
