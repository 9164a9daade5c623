package io.idlalayer.middleware.embedding.hot;

import io.idlalayer.middleware.embedding.batch.RowSet;
import io.idlalayer.middleware.embedding.plan.RowLayout;
import io.idlalayer.middleware.embedding.store.RowKind;
import io.idlalayer.middleware.embedding.store.StoredRow;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.IntConsumer;

/**
 * Embedding rows in DRAM, of all tables that have one layout. Their numbers are in pages; a head
 * for each row has the other fields. The fields of a head that a use reads and changes are
 * adjacent, because each further place in memory costs a miss of the processor's cache. The pages
 * grow up to the capacity, which may change. For one thread.
 *
 * <p>A head has three longs:
 *
 * <pre>
 *   0  row key, 0 if the slot is free
 *   1  u32 time of the last use, u32 occurrences; the next free slot if the slot is free
 *   2  u16 table, u8 warmth, 7 unused bits, 1 bit dirty, u32 steps
 * </pre>
 */
public final class HotRows {
  /** Slot of a row that is not in DRAM. */
  public static final int NONE = -1;

  /**
   * Number of rows whose slots are searched, or whose numbers are copied, in one batch. Each step
   * reads the memory for all of them before the next step begins, so that the processor waits for
   * many reads at a time.
   */
  public static final int AT_ONCE = 256;

  /** Approximate number of floats of a page, which is 256 KiB. */
  private static final int PAGE_FLOATS = 1 << 16;

  /**
   * Least number of pages into which the capacity is divided; with many pages, an incomplete last
   * page wastes few bytes.
   */
  private static final int FEWEST_PAGES = 16;

  private static final int MOST_ROWS = 1 << 28;

  /** Number of longs in the head of a row. */
  private static final int HEAD_LONGS = 3;

  private static final int USE = 1;
  private static final int MARKS = 2;

  /** Bit of a head's third long that is set while the row is newer than in the store. */
  private static final long DIRTY = 1L << 32;

  private static final int HEAT_SHIFT = 40;
  private static final long HEAT_ONE = 1L << HEAT_SHIFT;

  /** Largest heat of a row; an unused row is cool after three halvings. */
  private static final int MOST_HEAT = 7;

  private static final long HEAT_MASK = 0xFFL << HEAT_SHIFT;
  private static final int TABLE_SHIFT = 48;
  private static final long LOWER_HALF = 0xFFFF_FFFFL;

  /** Bytes that a row takes besides its numbers and its cells in the index. */
  private static final int HEAD_BYTES = HEAD_LONGS * Long.BYTES;

  /** Number of cells that the index has for every two rows. */
  private static final int CELLS_FOR_TWO = 3;

  private final IdKeys idKeys;
  private final int stride;
  private final int pageShift;
  private final long rowBytes;
  private final int mostCapacity;
  private int capacity;

  /**
   * Bits of an index cell that hold a slot plus one; the other bits of the cell hold bits of the
   * row key.
   */
  private final int slotMask;

  private final RowNumbers pages;

  /** Index of the rows: each cell is 0, or a slot plus one with bits of its row key above it. */
  private int[] index = new int[4];

  private long[] heads = {};
  private final int[] cells = new int[AT_ONCE];

  /**
   * This value has no meaning. Without it the compiler would remove reads whose result is not used.
   */
  private int readAhead;

  private int firstFree = NONE;
  private int slots;
  private int size;
  private boolean lacksMemory;

  /** Number of rows of each table; the array grows with the highest number of a table. */
  private int[] sizes = {};

  /** Finds the id whose row has a row key. */
  @FunctionalInterface
  interface IdKeys {
    /** Returns the key of the id, given its table and its row key. */
    long key(int table, long rowKey);
  }

  /**
   * Creates rows on the Java heap, whose bytes do not change.
   *
   * @param bytes bytes of DRAM that rows, heads and index may take
   */
  HotRows(RowLayout layout, long bytes, IdKeys idKeys) {
    this(layout, bytes, bytes, idKeys, false);
  }

  /**
   * @param bytes bytes of DRAM that rows, heads and index may take
   * @param mostBytes largest number of bytes that {@link #resize} may ask for
   * @param offHeap whether the numbers are outside the Java heap; heads and index never are
   */
  HotRows(RowLayout layout, long bytes, long mostBytes, IdKeys idKeys, boolean offHeap) {
    this.idKeys = idKeys;
    stride = layout.stride();
    rowBytes = rowBytes(layout);
    long rows = bytes / rowBytes;
    long pageful = Math.min(PAGE_FLOATS / stride, rows / FEWEST_PAGES);
    int pageRows = (int) Long.highestOneBit(Math.max(1, pageful));
    pageShift = Integer.numberOfTrailingZeros(pageRows);
    mostCapacity = wholePages(mostBytes);
    capacity = wholePages(bytes);
    slotMask = 2 * Integer.highestOneBit(Math.max(1, mostCapacity)) - 1;
    pages = offHeap ? new NativeNumbers(stride, pageShift) : new HeapNumbers(stride, pageShift);
  }

  private int wholePages(long bytes) {
    return (int) Math.min(((bytes / rowBytes) >>> pageShift) << pageShift, MOST_ROWS);
  }

  /** Returns the bytes of DRAM that one row of a layout takes when all slots are taken. */
  public static long rowBytes(RowLayout layout) {
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

  /** Returns the number of rows in DRAM of a table. */
  public int size(int table) {
    return table < sizes.length ? sizes[table] : 0;
  }

  /** Returns the number of slots that exist so far; each may hold a row. */
  public int slots() {
    return slots;
  }

  boolean full() {
    return firstFree == NONE && slots >= capacity;
  }

  /**
   * Returns whether there is a free slot, or memory for a new one. If the process has no memory for
   * more slots, the present number of slots becomes the capacity.
   */
  boolean makesRoom() {
    if (firstFree == NONE && slots < capacity && !addPage()) {
      capacity = slots;
      lacksMemory = true;
    }
    return firstFree != NONE;
  }

  /**
   * Returns whether the process had too little memory for the present capacity, since the capacity
   * was last changed.
   */
  boolean lacksMemory() {
    return lacksMemory;
  }

  /** Returns the number of bytes that are allocated. */
  long bytes() {
    return pages.bytes() + (long) heads.length * Long.BYTES + (long) index.length * Integer.BYTES;
  }

  /**
   * Returns the cell of the index at which the search for a row begins. It does not depend on the
   * upper half of the row key, because rows arrive in the order of the store and neighbors have
   * nearly equal upper halves.
   */
  private static int home(long rowKey, int cells) {
    return (int) (((rowKey & LOWER_HALF) * cells) >>> Integer.SIZE);
  }

  /** Returns the bits of a row key that its index cell holds. */
  private int tag(long rowKey) {
    // The other half of the key determines the cell.
    return (int) (rowKey >>> Integer.SIZE) & ~slotMask;
  }

  private int after(int cell) {
    return cell + 1 == index.length ? 0 : cell + 1;
  }

  private long rowKeyOfCell(int cell) {
    return rowKey((index[cell] & slotMask) - 1);
  }

  /**
   * Returns the slot of the row at a position of a set, or {@link #NONE}. The rows of a set are
   * asked for one after the other. The slot that the row had when the set was read is tried first.
   */
  public int find(long rowKey, RowSet set, int position) {
    if (position % AT_ONCE == 0) {
      int to = Math.min(set.size(), position + AT_ONCE);
      readAhead(set.slots(), position, to, stride);
    }
    int slot = set.slots()[position];
    // There may be fewer slots by now.
    return slot != NONE && slot < slots && rowKey(slot) == rowKey ? slot : find(rowKey);
  }

  /** Returns the slot of a row, or {@link #NONE}. */
  public int find(long rowKey) {
    return find(rowKey, home(rowKey, index.length));
  }

  private int find(long rowKey, int from) {
    int tag = tag(rowKey);
    for (int cell = from; index[cell] != 0; cell = after(cell)) {
      if ((index[cell] & ~slotMask) == tag) {
        int slot = (index[cell] & slotMask) - 1;
        if (rowKey(slot) == rowKey) {
          return slot;
        }
      }
    }
    return NONE;
  }

  /**
   * Finds the slots of several rows, at most {@link #AT_ONCE}.
   *
   * @param found receives the slots at the positions of the rows, {@link #NONE} for rows that are
   *     not here
   */
  public void find(long[] rows, int from, int to, int[] found) {
    int[] table = index;
    for (int i = from; i < to; i++) {
      cells[i - from] = table[home(rows[i], table.length)];
    }
    for (int i = from; i < to; i++) {
      found[i] = likely(rows[i], cells[i - from]);
    }
    for (int i = from; i < to; i++) {
      int slot = found[i];
      if (slot != NONE && rowKey(slot) != rows[i]) {
        found[i] = find(rows[i]);
      }
    }
  }

  /**
   * Returns the slot in the first index cell that has the bits of a row key, or {@link #NONE}.
   *
   * @param first content of the first cell of the search
   */
  private int likely(long rowKey, int first) {
    int tag = tag(rowKey);
    int cell = -1;
    for (int entry = first; entry != 0; entry = index[cell]) {
      if ((entry & ~slotMask) == tag) {
        return (entry & slotMask) - 1;
      }
      cell = after(cell < 0 ? home(rowKey, index.length) : cell);
    }
    return NONE;
  }

  /** Takes a free slot for a row; a slot must be free. The caller writes the numbers of the row. */
  int add(long rowKey, int table) {
    if (!makesRoom()) {
      throw new IllegalStateException(
          String.format(Locale.ROOT, "all %d rows are taken", capacity));
    }
    int slot = firstFree;
    int head = slot * HEAD_LONGS;
    firstFree = (int) heads[head + USE];
    heads[head] = rowKey;
    heads[head + USE] = 0;
    heads[head + MARKS] = (long) table << TABLE_SHIFT;
    enter(slot);
    size++;
    if (table >= sizes.length) {
      sizes = Arrays.copyOf(sizes, table + 1);
    }
    sizes[table]++;
    return slot;
  }

  private void enter(int slot) {
    long rowKey = rowKey(slot);
    int cell = home(rowKey, index.length);
    while (index[cell] != 0) {
      cell = after(cell);
    }
    index[cell] = tag(rowKey) | (slot + 1);
  }

  /** Adds a page of slots; returns false if the process has no memory for it. */
  private boolean addPage() {
    if (!pages.add()) {
      return false;
    }
    int before = slots;
    slots = before + (1 << pageShift);
    if (heads.length < slots * HEAD_LONGS) {
      growHeads(before);
    }
    for (int slot = slots - 1; slot >= before; slot--) {
      free(slot);
    }
    return true;
  }

  private void free(int slot) {
    int head = slot * HEAD_LONGS;
    heads[head] = 0;
    heads[head + USE] = firstFree;
    heads[head + MARKS] = 0;
    firstFree = slot;
  }

  /**
   * @param before number of slots before the growth
   */
  private void growHeads(int before) {
    // Heads grow by a quarter only, because unused heads count as bytes of the rows.
    int rows = (int) Math.min(capacity, Math.max(slots, before + before / 4L));
    heads = Arrays.copyOf(heads, rows * HEAD_LONGS);
    makeIndex(rows, before);
  }

  /**
   * @param rows number of rows for which the index has cells
   * @param before number of slots whose rows are entered
   */
  private void makeIndex(int rows, int before) {
    // One cell must stay empty, for searches to end.
    index = new int[(int) ((long) rows * CELLS_FOR_TWO / 2) + 2];
    for (int slot = 0; slot < before; slot++) {
      if (used(slot)) {
        enter(slot);
      }
    }
  }

  /**
   * Changes the capacity. With fewer slots than there are now the coolest rows leave, the others
   * move to the remaining slots, and the bytes of the pages that are no longer needed are given
   * back.
   *
   * @param bytes bytes of DRAM that rows, heads and index may take; more than the most count as the
   *     most
   * @param leaves is called with the slot of each row that must leave, and {@link #remove}s it
   */
  void resize(long bytes, IntConsumer leaves) {
    int rows = Math.min(wholePages(bytes), mostCapacity);
    capacity = rows;
    lacksMemory = false;
    if (rows >= slots) {
      return;
    }
    for (int heat = 0; heat <= MOST_HEAT && size > rows; heat++) {
      for (int slot = 0; slot < slots && size > rows; slot++) {
        if (used(slot) && heat(slot) == heat) {
          leaves.accept(slot);
        }
      }
    }
    int free = 0;
    for (int slot = rows; slot < slots; slot++) {
      if (used(slot)) {
        while (used(free)) {
          free++;
        }
        System.arraycopy(heads, slot * HEAD_LONGS, heads, free * HEAD_LONGS, HEAD_LONGS);
        pages.move(slot, free);
        free++;
      }
    }
    pages.keep(rows >>> pageShift);
    slots = rows;
    heads = Arrays.copyOf(heads, rows * HEAD_LONGS);
    makeIndex(rows, rows);
    firstFree = NONE;
    for (int slot = rows - 1; slot >= 0; slot--) {
      if (!used(slot)) {
        free(slot);
      }
    }
  }

  /** Removes the row from a slot, which is free afterwards. */
  public void remove(int slot) {
    int cell = home(rowKey(slot), index.length);
    while ((index[cell] & slotMask) != slot + 1) {
      cell = after(cell);
    }
    // Rows that were pushed past the gap move up.
    int gap = cell;
    for (int next = after(cell); index[next] != 0; next = after(next)) {
      int home = home(rowKeyOfCell(next), index.length);
      if (distance(home, next) >= distance(gap, next)) {
        index[gap] = index[next];
        gap = next;
      }
    }
    index[gap] = 0;
    sizes[table(slot)]--;
    free(slot);
    size--;
  }

  private int distance(int from, int to) {
    return to >= from ? to - from : to - from + index.length;
  }

  /** Returns whether a slot holds a row. */
  public boolean used(int slot) {
    return rowKey(slot) != 0;
  }

  public long rowKey(int slot) {
    return heads[slot * HEAD_LONGS];
  }

  private long key(int slot) {
    return idKeys.key(table(slot), rowKey(slot));
  }

  /** Returns the heat of a row, 0 to 7. The policy gives it a meaning. */
  int heat(int slot) {
    return (int) ((marks(slot) & HEAT_MASK) >>> HEAT_SHIFT);
  }

  void heat(int slot, int warmth) {
    long warm = (long) Math.min(MOST_HEAT, warmth) << HEAT_SHIFT;
    heads[slot * HEAD_LONGS + MARKS] = (marks(slot) & ~HEAT_MASK) | warm;
  }

  /**
   * Increases the heat of some rows by one.
   *
   * @param some slots, of which the positions {@code from} to {@code to} count; {@link #NONE} is
   *     skipped
   * @return number of rows
   */
  int warm(int[] some, int from, int to) {
    int count = 0;
    for (int i = from; i < to; i++) {
      if (some[i] != NONE) {
        int at = some[i] * HEAD_LONGS + MARKS;
        long marks = heads[at];
        if ((marks & HEAT_MASK) != MOST_HEAT * HEAT_ONE) {
          heads[at] = marks + HEAT_ONE;
        }
        count++;
      }
    }
    return count;
  }

  private long marks(int slot) {
    return heads[slot * HEAD_LONGS + MARKS];
  }

  public int occurrences(int slot) {
    return (int) heads[slot * HEAD_LONGS + USE];
  }

  public int lastUseSeconds(int slot) {
    return (int) (heads[slot * HEAD_LONGS + USE] >>> Integer.SIZE);
  }

  public void lastUse(int slot, int seconds) {
    use(slot, occurrences(slot), seconds, steps(slot));
  }

  /**
   * Returns the L2 norm of a row's weights.
   *
   * @param weights number of weights in the row
   */
  public double norm(int slot, int weights) {
    return StoredRow.norm(pages.array(slot), pages.at(slot), weights);
  }

  private int steps(int slot) {
    return (int) marks(slot);
  }

  int table(int slot) {
    return (int) (marks(slot) >>> TABLE_SHIFT);
  }

  /** Returns whether the row in a slot is newer than in the store. */
  public boolean dirty(int slot) {
    return (marks(slot) & DIRTY) != 0;
  }

  public void dirty(int slot, boolean newer) {
    heads[slot * HEAD_LONGS + MARKS] = newer ? marks(slot) | DIRTY : marks(slot) & ~DIRTY;
  }

  private void use(int slot, int occurrences, int lastUseSeconds, int steps) {
    int head = slot * HEAD_LONGS;
    heads[head + USE] = ((long) lastUseSeconds << Integer.SIZE) | (occurrences & LOWER_HALF);
    heads[head + MARKS] = (heads[head + MARKS] & ~LOWER_HALF) | (steps & LOWER_HALF);
  }

  /**
   * Copies the numbers and heads of several rows, at most {@link #AT_ONCE}, into a set.
   *
   * @param some slots of the rows, at the positions that they have in the set; {@link #NONE} is
   *     skipped
   */
  public void copyTo(int[] some, int from, int to, RowSet set) {
    // A set for predictions has no updater's state.
    int count = set.layout().stride();
    readAhead(some, from, to, count);
    float[] values = set.values();
    for (int position = from; position < to; position++) {
      int slot = some[position];
      if (slot != NONE) {
        pages.get(slot, values, set.at(position), count);
        set.take(position, occurrences(slot), lastUseSeconds(slot), steps(slot));
      }
    }
  }

  /**
   * Reads a part of each row before the rows are copied, so that the processor waits for all of
   * them at the same time.
   */
  private void readAhead(int[] some, int from, int to, int count) {
    int read = readAhead;
    for (int i = from; i < to; i++) {
      int slot = some[i];
      if (slot != NONE && slot < slots) {
        read ^= (int) marks(slot);
        read ^= pages.touch(slot, count);
      }
    }
    readAhead = read;
  }

  /** Overwrites the row in a slot with the row at a position of a set. */
  public void copyFrom(int slot, RowSet set, int position) {
    pages.put(slot, set.values(), set.at(position));
    use(slot, set.occurrences(position), set.lastUseSeconds(position), set.steps(position));
  }

  /** Overwrites the row in a slot with an encoded row from a store. */
  public void decode(int slot, StoredRow head, byte[] row) {
    pages.decode(slot, row);
    use(slot, head.occurrences(), head.lastUseSeconds(), head.steps());
  }

  /** Returns the head of the row in a slot, in the form in which stores keep it. */
  public StoredRow head(int slot) {
    return new StoredRow(
        table(slot), RowKind.ROW, key(slot), occurrences(slot), lastUseSeconds(slot), steps(slot));
  }

  /** Returns the number of bytes of an encoded row. */
  int encodedBytes() {
    return StoredRow.bytes(stride);
  }

  /** Encodes the row in a slot into an array, as stores keep it; creates no object. */
  void encode(int slot, byte[] into, int to) {
    StoredRow.row(into, to, table(slot), key(slot));
    StoredRow.use(into, to, occurrences(slot), lastUseSeconds(slot), steps(slot));
    StoredRow.floats(into, to, pages.array(slot), pages.at(slot), stride);
  }

  /** Returns the row in a slot, encoded as stores keep it. */
  public byte[] encode(int slot) {
    return head(slot).encode(pages.array(slot), pages.at(slot), stride);
  }
}
