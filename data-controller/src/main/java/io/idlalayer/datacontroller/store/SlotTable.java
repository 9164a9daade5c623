package io.idlalayer.datacontroller.store;

import io.idlalayer.middleware.primitive.BitMixer;
import java.util.Arrays;

/**
 * A hash table that finds slots of the index by the value of a column: open addressing, linear
 * probing, backward-shift deletion, at most half full. A cell contains the number of a slot, and
 * the key stays in its column. So an entry takes 8 to 16 bytes. Several slots can have the same
 * key.
 */
final class SlotTable {
  static final int ABSENT = -1;

  /**
   * Largest number of entries: half the cells of the largest array whose length is a power of two.
   */
  static final int MOST = 1 << 29;

  private static final int FIRST_LENGTH = 64;

  /**
   * Logarithm of the number of successive keys that get neighbouring cells in a table of numbers.
   * These cells fill a cache line.
   */
  private static final int RUN_SHIFT = 4;

  private static final int RUN = 1 << RUN_SHIFT;

  /** Returns the key of a slot from the column. */
  @FunctionalInterface
  interface Keys {
    long key(int slot);
  }

  private final Keys keys;
  private final boolean numbers;
  private int[] cells = filled(FIRST_LENGTH);
  private int size;

  private SlotTable(Keys keys, boolean numbers) {
    this.keys = keys;
    this.numbers = numbers;
  }

  /** Returns an empty table for keys that are hashes. */
  static SlotTable ofHashes(Keys keys) {
    return new SlotTable(keys, false);
  }

  /**
   * Returns an empty table for consecutive numbers that are also looked up in order: neighbouring
   * numbers have neighbouring cells, so most lookups find their cell in a cache line that was read
   * already.
   */
  static SlotTable ofNumbers(Keys keys) {
    return new SlotTable(keys, true);
  }

  private static int[] filled(int length) {
    int[] cells = new int[length];
    Arrays.fill(cells, ABSENT);
    return cells;
  }

  /**
   * Returns the number of cells that a table needs for a number of entries.
   *
   * @throws IllegalStateException if no table can hold them
   */
  static int lengthFor(long entries) {
    if (entries > MOST) {
      throw new IllegalStateException(
          "an index holds at most %,d samples, not %,d".formatted(MOST, entries));
    }
    int length = FIRST_LENGTH;
    while (length < 2 * entries) {
      length <<= 1;
    }
    return length;
  }

  /** Returns the heap bytes of a table that has grown to a number of entries. */
  static long bytesFor(long entries) {
    return (long) Integer.BYTES * lengthFor(entries);
  }

  /**
   * Returns the first cell to search for a key; continue with {@link #next} until {@link #slot} is
   * absent.
   */
  int start(long key) {
    return numbers ? startOfNumber(key) : BitMixer.cell(key, cells.length);
  }

  /**
   * Returns the first cell to search for a number: numbers that differ only in the last bits have
   * neighbouring cells, and runs of such numbers are scattered over the table.
   */
  private int startOfNumber(long key) {
    int bits = Integer.numberOfTrailingZeros(cells.length);
    int scattered = (int) (((key >>> RUN_SHIFT) * BitMixer.GOLDEN_RATIO) >>> (Long.SIZE - bits));
    return (scattered & -RUN) | ((int) key & (RUN - 1));
  }

  int next(int cell) {
    return (cell + 1) & (cells.length - 1);
  }

  /** Returns the slot in a cell, or {@link #ABSENT}. */
  int slot(int cell) {
    return cells[cell];
  }

  /** Returns one of the slots with a key, or {@link #ABSENT}. */
  int get(long key) {
    int cell = start(key);
    while (cells[cell] != ABSENT && keys.key(cells[cell]) != key) {
      cell = next(cell);
    }
    return cells[cell];
  }

  /** Adds a slot that is not in the table, under the key that its column holds now. */
  void add(int slot) {
    int length = lengthFor(size + 1L);
    if (length > cells.length) {
      grow(length);
    }
    place(slot);
    size++;
  }

  private void place(int slot) {
    int cell = start(keys.key(slot));
    while (cells[cell] != ABSENT) {
      cell = next(cell);
    }
    cells[cell] = slot;
  }

  private void grow(int length) {
    int[] old = cells;
    cells = filled(length);
    for (int slot : old) {
      if (slot != ABSENT) {
        place(slot);
      }
    }
  }

  /** Removes a slot if it is in the table; its column must still hold the key. */
  void remove(int slot) {
    int hole = start(keys.key(slot));
    while (cells[hole] != slot) {
      if (cells[hole] == ABSENT) {
        return;
      }
      hole = next(hole);
    }
    size--;
    int mask = cells.length - 1;
    for (int cell = next(hole); cells[cell] != ABSENT; cell = next(cell)) {
      int firstCell = start(keys.key(cells[cell]));
      if (((cell - firstCell) & mask) >= ((cell - hole) & mask)) {
        cells[hole] = cells[cell];
        hole = cell;
      }
    }
    cells[hole] = ABSENT;
  }

  int size() {
    return size;
  }

  /** Returns the present heap bytes of the table. */
  long bytes() {
    return (long) Integer.BYTES * cells.length;
  }
}
