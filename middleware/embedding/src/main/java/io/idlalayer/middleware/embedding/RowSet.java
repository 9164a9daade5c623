package io.idlalayer.middleware.embedding;

import io.idlalayer.middleware.primitive.BitMixer;
import java.util.Arrays;

/**
 * Rows of one table side by side, found by id: copies that a training changes, or that predictions
 * read. An id without a row is in the set too, and stands for the row of unknown ids. First all ids
 * are placed, then the set is opened for their rows, whose number is known by then, so that their
 * numbers are never copied to a larger array. Belongs to one thread at a time.
 */
public final class RowSet {
  private static final int LEAST_CAPACITY = 16;

  /** Of an array. */
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
   * @param expected number of ids, about
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

  /** An independent copy. */
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

  /** Arrays grow by doubling, and the index has two cells for each place. */
  static long bytesOfRow(RowLayout layout) {
    long place = Long.BYTES + 7L * Integer.BYTES + (long) Float.BYTES * layout.stride();
    return 2 * place;
  }

  public RowLayout layout() {
    return layout;
  }

  /** Number of ids. */
  public int size() {
    return size;
  }

  /**
   * The position of an id in the set, which is added if it is not there.
   *
   * @throws IllegalStateException if it is not there and the set is open
   */
  int place(long key) {
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

  /** Whether a set of some capacity cannot have twice as many rows. */
  private boolean full(int capacity) {
    // The index is the longest array, or the numbers are.
    return capacity > MOST_CELLS / Math.max(4, 2 * stride);
  }

  private void grow() {
    if (full(keys.length)) {
      throw new OutOfMemoryError("%,d rows of one batch are too many".formatted(2L * keys.length));
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

  /** Makes room for the rows of the ids that were placed; no more can be. */
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

  /** Where in DRAM each row was when the set was read, or {@link HotRows#NONE}. */
  int[] slots() {
    return slots;
  }

  /** Says which position ids without a row stand for. */
  void unknown(int position) {
    unknown = position;
  }

  /**
   * The position of the row that an id uses: its own, or that of unknown ids.
   *
   * @throws IllegalArgumentException if neither is in the set
   */
  int row(long key) {
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

  /** The same for the id of a position; below 0 if neither is in the set. */
  int rowOf(int position) {
    return kinds[position] == ROW_CODE ? position : unknown;
  }

  /** Whether an id is in the set. */
  boolean holds(long key) {
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

  void kind(int position, RowKind kind) {
    kinds[position] = kind.code();
  }

  /** How often the id came in training. */
  int occurrences(int position) {
    return occurrences[position];
  }

  int lastUseSeconds(int position) {
    return lastUseSeconds[position];
  }

  /** How often the row was updated. */
  int steps(int position) {
    return steps[position];
  }

  void use(int position, int count, int seconds, int updates) {
    occurrences[position] = count;
    lastUseSeconds[position] = seconds;
    steps[position] = updates;
  }

  /** Says that there is a row, whose numbers the caller has written. */
  void take(int position, int count, int seconds, int updates) {
    kinds[position] = ROW_CODE;
    use(position, count, seconds, updates);
  }

  /** One more update of the row; returns how many there were with it. */
  int step(int position) {
    return ++steps[position];
  }

  /** Whether a training has changed the row of a position. */
  boolean changed(int position) {
    return kinds[position] == ROW_CODE && steps[position] > 0;
  }

  /** How often the id is in new samples of the batch. */
  int fresh(int position) {
    return fresh[position];
  }

  /** The id gets a row, whose numbers the caller has written. */
  void begin(int position) {
    counted[position] = kind(position) == RowKind.COUNTED;
    begun[position] = true;
    steps[position] = 0;
    kind(position, RowKind.ROW);
  }

  /** Whether the row is new. */
  boolean begun(int position) {
    return begun[position];
  }

  /** Whether the id of a new row was counted before. */
  boolean counted(int position) {
    return counted[position];
  }

  /** The batch has trained: its new samples count as occurrences. */
  void used(int position, int nowSeconds) {
    long count = (long) occurrences[position] + fresh[position];
    occurrences[position] = (int) Math.min(Integer.MAX_VALUE, count);
    lastUseSeconds[position] = nowSeconds;
  }

  void addFresh(int position) {
    fresh[position]++;
  }

  /** The numbers of all rows. */
  float[] values() {
    return values;
  }

  /** Where the numbers of a row begin. */
  int at(int position) {
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
