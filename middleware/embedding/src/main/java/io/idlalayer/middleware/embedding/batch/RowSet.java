package io.idlalayer.middleware.embedding.batch;

import io.idlalayer.middleware.embedding.plan.RowLayout;
import io.idlalayer.middleware.embedding.store.RowKind;
import io.idlalayer.middleware.primitive.BitMixer;
import java.util.Arrays;
import java.util.Locale;

/**
 * Copies of embedding rows of one table, found by id. Trainings change these copies, and
 * predictions read them. An id without a row is also in the set, and uses the row of unknown ids. A
 * caller first places all ids, and then opens the set for their rows. At that point the number of
 * rows is known, so no row is copied to a larger array. Belongs to one thread at a time.
 */
public final class RowSet {
  private static final int LEAST_CAPACITY = 16;

  /** Largest number of cells of an array. */
  private static final int MOST_CELLS = Integer.MAX_VALUE - 8;

  private static final byte ROW_CODE = RowKind.ROW.code();

  private final RowLayout layout;
  private final int stride;
  private long[] keys;
  private int[] fresh;
  private int[] index;
  private int size;
  private boolean open;
  private byte[] kinds = {};
  private int[] occurrences = {};
  private int[] lastUseSeconds = {};
  private int[] steps = {};
  private boolean[] begun = {};
  private boolean[] counted = {};
  private float[] values = {};
  private int[] slots = {};
  private int unknown = -1;

  /**
   * @param expected approximate number of ids that will be placed
   */
  RowSet(RowLayout layout, int expected) {
    this.layout = layout;
    stride = layout.stride();
    int capacity = LEAST_CAPACITY;
    while (capacity < expected && !full(capacity)) {
      capacity *= 2;
    }
    keys = new long[capacity];
    fresh = new int[capacity];
    index = new int[2 * capacity];
  }

  /** Creates an independent copy of another set. */
  RowSet(RowSet other) {
    layout = other.layout;
    stride = other.stride;
    open = other.open;
    keys = other.keys.clone();
    kinds = other.kinds.clone();
    occurrences = other.occurrences.clone();
    lastUseSeconds = other.lastUseSeconds.clone();
    steps = other.steps.clone();
    fresh = other.fresh.clone();
    begun = other.begun.clone();
    counted = other.counted.clone();
    values = other.values.clone();
    index = other.index.clone();
    slots = other.slots;
    size = other.size;
    unknown = other.unknown;
  }

  /**
   * Returns the largest number of bytes that a row takes in a set: arrays grow by doubling, and the
   * index has two cells for each id.
   */
  static long bytesOfRow(RowLayout layout) {
    long place = Long.BYTES + 7L * Integer.BYTES + (long) Float.BYTES * layout.stride();
    return 2 * place;
  }

  public RowLayout layout() {
    return layout;
  }

  /** Returns the number of ids in the set. */
  public int size() {
    return size;
  }

  /**
   * Returns the position of an id in the set, and adds the id if the set does not have it.
   *
   * @throws IllegalStateException if it is not there and the set is open
   */
  public int place(long key) {
    int[] cells = index;
    int mask = cells.length - 1;
    int cell = BitMixer.cell(key, cells.length);
    for (int found = cells[cell]; found != 0; found = cells[cell]) {
      if (keys[found - 1] == key) {
        return found - 1;
      }
      cell = (cell + 1) & mask;
    }
    return add(key, cell);
  }

  private int add(long key, int cell) {
    if (open) {
      throw new IllegalStateException("the batch was gathered without id " + key);
    }
    if (size == keys.length) {
      grow();
      return place(key);
    }
    keys[size] = key;
    index[cell] = size + 1;
    return size++;
  }

  /** Returns whether the arrays have a length that cannot be doubled any more. */
  private boolean full(int capacity) {
    // The index or the array of numbers is the longest array.
    return capacity > MOST_CELLS / Math.max(4, 2 * stride);
  }

  private void grow() {
    if (full(keys.length)) {
      throw new OutOfMemoryError(
          String.format(
              Locale.ROOT, "a batch cannot have %,d rows of one table", 2L * keys.length));
    }
    int capacity = 2 * keys.length;
    keys = Arrays.copyOf(keys, capacity);
    fresh = Arrays.copyOf(fresh, capacity);
    index = new int[2 * capacity];
    for (int i = 0; i < size; i++) {
      int cell = BitMixer.cell(keys[i], index.length);
      while (index[cell] != 0) {
        cell = (cell + 1) & (index.length - 1);
      }
      index[cell] = i + 1;
    }
  }

  /**
   * Allocates memory for the rows of the ids that were placed. No other id can be placed
   * afterwards.
   */
  void open() {
    open = true;
    kinds = new byte[size];
    occurrences = new int[size];
    lastUseSeconds = new int[size];
    steps = new int[size];
    begun = new boolean[size];
    counted = new boolean[size];
    values = new float[size * stride];
    slots = new int[size];
  }

  /**
   * Returns, for each row, its slot in DRAM when the set was read; below 0 if it was not in DRAM.
   */
  public int[] slots() {
    return slots;
  }

  /** Sets the position of the row that unknown ids share. */
  void unknown(int position) {
    unknown = position;
  }

  /**
   * Returns the position of the row that an id uses: its own, or that of unknown ids.
   *
   * @throws IllegalArgumentException if neither is in the set
   */
  public int row(long key) {
    int cell = BitMixer.cell(key, index.length);
    while (index[cell] != 0) {
      int position = index[cell] - 1;
      if (keys[position] == key) {
        return rowOf(position);
      }
      cell = (cell + 1) & (index.length - 1);
    }
    if (unknown < 0) {
      throw new IllegalArgumentException("the batch was gathered without id " + key);
    }
    return unknown;
  }

  /**
   * Returns the position of the row that the id at a position uses, its own or that of unknown ids;
   * below 0 if that row is not in the set.
   */
  int rowOf(int position) {
    return kinds[position] == ROW_CODE ? position : unknown;
  }

  /** Returns whether an id is in the set. */
  public boolean holds(long key) {
    int cell = BitMixer.cell(key, index.length);
    while (index[cell] != 0) {
      if (keys[index[cell] - 1] == key) {
        return true;
      }
      cell = (cell + 1) & (index.length - 1);
    }
    return false;
  }

  public long key(int position) {
    return keys[position];
  }

  public RowKind kind(int position) {
    return RowKind.of(kinds[position]);
  }

  public void kind(int position, RowKind kind) {
    kinds[position] = kind.code();
  }

  /** Returns how often the id at a position occurred in training. */
  public int occurrences(int position) {
    return occurrences[position];
  }

  public int lastUseSeconds(int position) {
    return lastUseSeconds[position];
  }

  /** Returns how often the row at a position was updated. */
  public int steps(int position) {
    return steps[position];
  }

  public void use(int position, int count, int seconds, int updates) {
    occurrences[position] = count;
    lastUseSeconds[position] = seconds;
    steps[position] = updates;
  }

  /**
   * Records that the id at a position has a row, and how that row was used; the caller has written
   * the row's numbers.
   */
  public void take(int position, int count, int seconds, int updates) {
    kinds[position] = ROW_CODE;
    use(position, count, seconds, updates);
  }

  /** Counts an update of the row at a position, and returns the new number of its updates. */
  int step(int position) {
    return ++steps[position];
  }

  /** Returns whether the id at a position has a row that was ever updated. */
  public boolean changed(int position) {
    return kinds[position] == ROW_CODE && steps[position] > 0;
  }

  /** Returns how often the id at a position occurs in the batch's new samples. */
  public int fresh(int position) {
    return fresh[position];
  }

  /** Gives the id at a position its first row, whose numbers the caller has written. */
  public void begin(int position) {
    counted[position] = kind(position) == RowKind.COUNTED;
    begun[position] = true;
    steps[position] = 0;
    kind(position, RowKind.ROW);
  }

  /** Returns whether the id at a position got its row in this batch. */
  public boolean begun(int position) {
    return begun[position];
  }

  /** Returns whether the store had a count of the id before the id got its row in this batch. */
  public boolean counted(int position) {
    return counted[position];
  }

  /**
   * Adds the occurrences of the id in the batch's new samples to the id's count, after the batch
   * has trained.
   */
  public void used(int position, int nowSeconds) {
    long count = (long) occurrences[position] + fresh[position];
    occurrences[position] = (int) Math.min(Integer.MAX_VALUE, count);
    lastUseSeconds[position] = nowSeconds;
  }

  void addFresh(int position) {
    fresh[position]++;
  }

  /** Returns the numbers of all rows, one row after the other. */
  public float[] values() {
    return values;
  }

  /** Returns the index in {@link #values} at which the numbers of a row begin. */
  public int at(int position) {
    return position * stride;
  }

  boolean finite() {
    int end = size * stride;
    for (int i = 0; i < end; i++) {
      if (!Float.isFinite(values[i])) {
        return false;
      }
    }
    return true;
  }
}
