package io.idlalayer.middleware.embedding.store;

import org.jspecify.annotations.Nullable;

/**
 * Prefetched embedding rows: they were read from the store for samples that wait for their
 * training. The update that trains these samples takes them. Also keeps which ids have no row.
 * Bounded by bytes: when it is full, nothing is added. Rows that no update has taken for several
 * updates are dropped, because their samples may never train. The limit is {@value
 * #FEWEST_UPDATES_KEPT} updates, or twice the longest wait of a row that was taken. Holds no hot
 * rows. One thread.
 */
final class ReadAhead {
  /** Stands for the row of an id of which the store is known to have no row. */
  static final byte[] ABSENT = {};

  /** Largest number of bytes of prefetched rows, even with a larger budget. */
  static final long MOST_BYTES = RowSegments.MOST_BYTES;

  /** Least number of updates for which a row is kept without being read again. */
  static final int FEWEST_UPDATES_KEPT = 4;

  /**
   * Largest number of updates for which a row is kept without being read again; the stamps of older
   * rows would look new.
   */
  static final int MOST_UPDATES_KEPT = RowSegments.STAMPS / 2;

  private static final int FEWEST_CELLS = 16;
  private static final int[] NO_CELLS = {};

  private final long mostBytes;
  private final RowSegments rows;

  /**
   * Bits of an index cell that hold a location plus one; the other bits of the cell hold bits of
   * the row key.
   */
  private final int locationMask;

  /**
   * Index of the rows: each cell is 0, or a location plus one with bits of its row key above it.
   */
  private int[] index = NO_CELLS;

  private int size;

  /** Number of rows; ids without a row are not counted. */
  private int rowCount;

  /** Number of the current update, with which rows are stamped. */
  private int update;

  private int updatesKept = FEWEST_UPDATES_KEPT;

  /**
   * Largest number of updates for which a row had waited among those taken since the last update.
   */
  private int mostWaited;

  /**
   * @param mostBytes bytes of DRAM that the rows may take, at least 0
   */
  ReadAhead(long mostBytes) {
    this.mostBytes = mostBytes;
    rows = new RowSegments(mostBytes, this::moved);
    locationMask = (1 << RowSegments.locationBits(mostBytes)) - 1;
  }

  /** Returns the bytes of DRAM that the prefetched rows take. */
  long bytes() {
    return rows.bytes() + indexBytes(index.length);
  }

  private static long indexBytes(int cells) {
    return (long) cells * Integer.BYTES;
  }

  /** Returns the number of prefetched rows and of ids known to have no row. */
  int size() {
    return size;
  }

  /** Returns the number of prefetched rows. */
  int rows() {
    return rowCount;
  }

  /**
   * Returns the prefetched row of a key; {@link #ABSENT} if the store has none, null if the key was
   * not prefetched.
   */
  byte @Nullable [] get(long rowKey) {
    int location = location(rowKey);
    return location == RowSegments.NONE ? null : rows.row(location, ABSENT);
  }

  /**
   * Returns what {@link #get} returns, and keeps the row for longer, because further waiting
   * samples use it.
   */
  byte @Nullable [] wanted(long rowKey) {
    int location = location(rowKey);
    if (location == RowSegments.NONE) {
      return null;
    }
    rows.stamp(location, update);
    return rows.row(location, ABSENT);
  }

  /**
   * Keeps a row that was read from the store, if there is room.
   *
   * @param row {@link #ABSENT} if there is none
   */
  void keep(long rowKey, byte[] row) {
    int location = location(rowKey);
    if (location == RowSegments.NONE) {
      add(rowKey, row, update);
    } else {
      rows.stamp(location, update);
      replace(rowKey, location, row);
    }
  }

  /** Replaces a row that has changed, if it is prefetched. */
  void changed(long rowKey, byte[] row) {
    int location = location(rowKey);
    if (location != RowSegments.NONE) {
      replace(rowKey, location, row);
    }
  }

  private void replace(long rowKey, int location, byte[] row) {
    if (rows.length(location) == row.length) {
      rows.overwrite(location, row);
    } else {
      int since = rows.stamp(location);
      drop(rowKey);
      add(rowKey, row, since);
    }
  }

  private void add(long rowKey, byte[] row, int since) {
    // At most two thirds of the cells are taken.
    if (3L * (size + 1L) > 2L * index.length) {
      int cells = Math.max(FEWEST_CELLS, index.length + index.length / 2);
      if (rows.bytes() + rows.spareBytes() + indexBytes(cells) > mostBytes) {
        return;
      }
      resize(cells);
    }
    int location = rows.add(rowKey, row, since, mostBytes - indexBytes(index.length));
    if (location != RowSegments.NONE) {
      index[empty(rowKey)] = tag(rowKey) | (location + 1);
      size++;
      rowCount += row.length > 0 ? 1 : 0;
    }
    giveBackIfEmpty();
  }

  private void giveBackIfEmpty() {
    if (size == 0) {
      index = NO_CELLS;
    }
  }

  /** Removes a row because an update needs it, and returns what {@link #get} would return. */
  byte @Nullable [] take(long rowKey) {
    int location = location(rowKey);
    if (location == RowSegments.NONE) {
      return null;
    }
    mostWaited = Math.max(mostWaited, waited(location));
    byte[] row = rows.row(location, ABSENT);
    drop(rowKey);
    return row;
  }

  private int waited(int location) {
    return Math.floorMod(update - rows.stamp(location), RowSegments.STAMPS);
  }

  /** Removes the prefetched row of a key. */
  void drop(long rowKey) {
    int cell = find(rowKey);
    if (cell != RowSegments.NONE) {
      int location = locationAt(cell);
      clear(cell);
      size--;
      rowCount -= rows.length(location) > 0 ? 1 : 0;
      rows.free(location);
      giveBackIfEmpty();
    }
  }

  /**
   * Notifies the buffer that an update has taken its rows; rows that have waited for too many
   * updates are removed.
   */
  void nextUpdate() {
    update = (update + 1) % RowSegments.STAMPS;
    int quarterLess = updatesKept - updatesKept / 4;
    int longest = Math.max(2 * mostWaited, quarterLess);
    updatesKept = Math.max(FEWEST_UPDATES_KEPT, Math.min(longest, MOST_UPDATES_KEPT));
    mostWaited = 0;
    // With longer waits there are more rows, and the exact time of dropping them matters less.
    if (update % (updatesKept / FEWEST_UPDATES_KEPT) == 0) {
      rows.visit(
          location -> {
            if (waited(location) > updatesKept) {
              drop(rows.rowKey(location));
            }
          });
    }
    if (8L * size < index.length && index.length > FEWEST_CELLS) {
      resize(Math.max(FEWEST_CELLS, 2 * size));
    }
  }

  private void resize(int cells) {
    index = new int[cells];
    rows.visit(
        location -> {
          long rowKey = rows.rowKey(location);
          index[empty(rowKey)] = tag(rowKey) | (location + 1);
        });
  }

  private void moved(long rowKey, int from, int to) {
    int cell = home(rowKey);
    while (locationAt(cell) != from) {
      cell = after(cell);
    }
    index[cell] = tag(rowKey) | (to + 1);
  }

  private int location(long rowKey) {
    int cell = find(rowKey);
    return cell == RowSegments.NONE ? RowSegments.NONE : locationAt(cell);
  }

  /** Returns the index cell of a row, or {@link RowSegments#NONE}. */
  private int find(long rowKey) {
    if (index.length == 0) {
      return RowSegments.NONE;
    }
    int tag = tag(rowKey);
    for (int cell = home(rowKey); index[cell] != 0; cell = after(cell)) {
      if ((index[cell] & ~locationMask) == tag && rows.rowKey(locationAt(cell)) == rowKey) {
        return cell;
      }
    }
    return RowSegments.NONE;
  }

  /** Returns a free index cell for a row that has none yet. */
  private int empty(long rowKey) {
    int cell = home(rowKey);
    while (index[cell] != 0) {
      cell = after(cell);
    }
    return cell;
  }

  private int locationAt(int cell) {
    return (index[cell] & locationMask) - 1;
  }

  /**
   * Returns the index cell at which the search for a row begins. Row keys are hashes, but come in
   * the order of their upper bits.
   */
  private int home(long rowKey) {
    return (int) (((rowKey & 0xFFFF_FFFFL) * index.length) >>> Integer.SIZE);
  }

  /** Returns the bits of a row key that its index cell holds; the other bits choose the cell. */
  private int tag(long rowKey) {
    return (int) (rowKey >>> Integer.SIZE) & ~locationMask;
  }

  private int after(int cell) {
    return cell + 1 == index.length ? 0 : cell + 1;
  }

  private void clear(int cell) {
    int gap = cell;
    // Rows that were pushed past the gap move up.
    for (int next = after(cell); index[next] != 0; next = after(next)) {
      int home = home(rows.rowKey(locationAt(next)));
      if (distance(home, next) >= distance(gap, next)) {
        index[gap] = index[next];
        gap = next;
      }
    }
    index[gap] = 0;
  }

  private int distance(int from, int to) {
    return to >= from ? to - from : to - from + index.length;
  }
}
