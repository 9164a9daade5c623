package io.idlalayer.middleware.embedding.serve;

import io.idlalayer.middleware.primitive.BitMixer;
import java.io.IOException;
import java.util.Arrays;
import java.util.Locale;

/**
 * Embedding rows of one table on the heap, by id: weights in pages, found through an index with
 * open addressing. An id may also be marked as deleted. Written by one thread; after that, safe for
 * many readers.
 */
final class RowPages implements BaseRows {
  /** Approximate number of floats of a page, which is 256 KiB. */
  private static final int PAGE_FLOATS = 1 << 16;

  private static final int FEWEST_CELLS = 16;

  /**
   * Rows of the first page at its beginning; it grows, because most tables of a model with many
   * tables are small.
   */
  private static final int FIRST_ROWS = 16;

  private static final int MOST_CELLS = 1 << 30;

  private final int weights;
  private final int pageShift;
  private final HeapBudget budget;
  private float[][] pages = {};
  private long[][] keys = {};
  private boolean[][] deleted = {};
  private int[] index = new int[FEWEST_CELLS];
  private int size;

  /**
   * @param weights number of weights of a row
   * @param budget bytes that the rows may take
   */
  RowPages(int weights, HeapBudget budget) {
    this.weights = weights;
    this.budget = budget;
    int rows = Math.max(1, PAGE_FLOATS / weights);
    pageShift = 31 - Integer.numberOfLeadingZeros(rows);
  }

  /** Creates rows that stay empty. */
  static RowPages empty(int weights) {
    return new RowPages(weights, new HeapBudget(0));
  }

  /**
   * Creates an independent copy of other rows.
   *
   * @throws IOException if the budget is too small
   */
  RowPages(RowPages other, HeapBudget budget) throws IOException {
    budget.take(other.bytes());
    this.budget = budget;
    weights = other.weights;
    pageShift = other.pageShift;
    pages = new float[other.pages.length][];
    Arrays.setAll(pages, i -> other.pages[i].clone());
    keys = new long[other.keys.length][];
    Arrays.setAll(keys, i -> other.keys[i].clone());
    deleted = new boolean[other.deleted.length][];
    Arrays.setAll(deleted, i -> other.deleted[i].clone());
    index = other.index.clone();
    size = other.size;
  }

  /** Returns the number of ids, including those that are marked as deleted. */
  @Override
  public int size() {
    return size;
  }

  @Override
  public long bytes() {
    long rows = keys.length == 1 ? keys[0].length : (long) keys.length << pageShift;
    return rows * rowBytes() + (long) index.length * Integer.BYTES;
  }

  private long rowBytes() {
    return (long) weights * Float.BYTES + Long.BYTES + 1;
  }

  @Override
  public int find(long key) {
    int mask = index.length - 1;
    for (int cell = BitMixer.cell(key, index.length); index[cell] != 0; cell = (cell + 1) & mask) {
      int slot = index[cell] - 1;
      if (key(slot) == key) {
        return slot;
      }
    }
    return NONE;
  }

  long key(int slot) {
    return keys[slot >> pageShift][inPage(slot)];
  }

  boolean deleted(int slot) {
    return deleted[slot >> pageShift][inPage(slot)];
  }

  @Override
  public void read(int slot, Cursor cursor) {
    cursor.values = page(slot);
    cursor.at = at(slot);
  }

  /** Returns the page with the weights of a row. */
  float[] page(int slot) {
    return pages[slot >> pageShift];
  }

  /** Returns the index at which the weights of a row begin in their page. */
  int at(int slot) {
    return inPage(slot) * weights;
  }

  private int inPage(int slot) {
    return slot & ((1 << pageShift) - 1);
  }

  /**
   * Sets the weights of the row of an id.
   *
   * @throws IOException if there are more ids than can be found
   */
  void put(long key, float[] values, int from) throws IOException {
    int slot = place(key);
    mark(slot, false);
    System.arraycopy(values, from, page(slot), at(slot), weights);
  }

  /** Marks the row of an id as deleted. Fails as {@link #put} does. */
  void delete(long key) throws IOException {
    mark(place(key), true);
  }

  private void mark(int slot, boolean gone) {
    deleted[slot >> pageShift][inPage(slot)] = gone;
  }

  private int place(long key) throws IOException {
    int found = find(key);
    if (found != NONE) {
      return found;
    }
    // At most half full.
    if (2L * (size + 1) > index.length) {
      growIndex();
    }
    if (size >> pageShift == pages.length) {
      addPage();
    } else if (size == keys[0].length && size < 1 << pageShift) {
      growFirstPage();
    }
    int slot = size++;
    keys[slot >> pageShift][inPage(slot)] = key;
    enter(key, slot);
    return slot;
  }

  private void enter(long key, int slot) {
    int cell = BitMixer.cell(key, index.length);
    while (index[cell] != 0) {
      cell = (cell + 1) & (index.length - 1);
    }
    index[cell] = slot + 1;
  }

  private void growIndex() throws IOException {
    if (index.length == MOST_CELLS) {
      throw new IOException(
          String.format(Locale.ROOT, "a table has more than %d rows", MOST_CELLS / 2));
    }
    budget.take((long) index.length * Integer.BYTES);
    index = new int[2 * index.length];
    for (int slot = 0; slot < size; slot++) {
      enter(key(slot), slot);
    }
  }

  private void growFirstPage() throws IOException {
    int before = keys[0].length;
    int rows = Math.min(1 << pageShift, 2 * before);
    budget.take((rows - before) * rowBytes());
    pages[0] = Arrays.copyOf(pages[0], rows * weights);
    keys[0] = Arrays.copyOf(keys[0], rows);
    deleted[0] = Arrays.copyOf(deleted[0], rows);
  }

  private void addPage() throws IOException {
    int whole = 1 << pageShift;
    int rows = pages.length == 0 ? Math.min(whole, FIRST_ROWS) : whole;
    budget.take(rows * rowBytes());
    pages = Arrays.copyOf(pages, pages.length + 1);
    pages[pages.length - 1] = new float[rows * weights];
    keys = Arrays.copyOf(keys, keys.length + 1);
    keys[keys.length - 1] = new long[rows];
    deleted = Arrays.copyOf(deleted, deleted.length + 1);
    deleted[deleted.length - 1] = new boolean[rows];
  }
}
