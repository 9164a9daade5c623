package io.idlalayer.middleware.embedding;

import org.jspecify.annotations.Nullable;

/**
 * Rows that were read from the store for samples that wait for their training, until the update
 * that trains them takes them; also which ids were looked for and are not there. Bounded by bytes:
 * what comes when it is full is not kept. What no update has taken for a few updates is dropped,
 * for its samples may never train. Says nothing of rows that are hot. One thread.
 */
final class ReadAhead {
  /** Of an id that is not in the store. */
  static final byte[] ABSENT = {};

  /** Updates that a row is kept for without being read again. */
  static final int UPDATES_KEPT = 4;

  /** Bytes of a row's array beside the row, with what rounds it up. */
  private static final int ARRAY_BYTES = 24;

  /** Bytes of a cell: row key, reference, and the update at which it was read. */
  private static final int CELL_BYTES = Long.BYTES + Long.BYTES + Integer.BYTES;

  private static final int FEWEST_CELLS = 16;

  private final long mostBytes;
  private long[] keys = new long[FEWEST_CELLS];
  private byte[][] rows = new byte[FEWEST_CELLS][];
  private int[] readAt = new int[FEWEST_CELLS];
  private int size;

  /** Without ids that have none. */
  private int rowCount;

  private int update;
  private long rowBytes;

  /**
   * @param mostBytes of DRAM, at least 0
   */
  ReadAhead(long mostBytes) {
    this.mostBytes = mostBytes;
  }

  /** Bytes of DRAM. */
  long bytes() {
    return size == 0 ? 0 : rowBytes + (long) keys.length * CELL_BYTES;
  }

  /** Rows and ids without a row. */
  int size() {
    return size;
  }

  /** Rows. */
  int rows() {
    return rowCount;
  }

  /** What was read of a row; null if nothing is known. */
  byte @Nullable [] get(long rowKey) {
    int cell = find(rowKey);
    return keys[cell] == rowKey ? rows[cell] : null;
  }

  /** The same of a row that samples want again, which so stays longer. */
  byte @Nullable [] wanted(long rowKey) {
    int cell = find(rowKey);
    if (keys[cell] != rowKey) {
      return null;
    }
    readAt[cell] = update;
    return rows[cell];
  }

  /**
   * Keeps what was read, if there is room.
   *
   * @param row {@link #ABSENT} if there is none
   */
  void keep(long rowKey, byte[] row) {
    int cell = find(rowKey);
    boolean known = keys[cell] == rowKey;
    long more = bytesOf(row) - (known ? bytesOf(rows[cell]) : 0);
    boolean grows = !known && crowded();
    long cells = (long) keys.length * (grows ? 2 : 1);
    if (rowBytes + more + cells * CELL_BYTES > mostBytes) {
      drop(rowKey);
      return;
    }
    if (grows) {
      resize(2 * keys.length);
      cell = find(rowKey);
    }
    if (!known) {
      keys[cell] = rowKey;
      size++;
    } else {
      rowCount -= countOf(rows[cell]);
    }
    rowCount += countOf(row);
    rows[cell] = row;
    readAt[cell] = update;
    rowBytes += more;
  }

  /** The row has changed; what is kept of it is so from now on. */
  void changed(long rowKey, byte[] row) {
    int cell = find(rowKey);
    if (keys[cell] == rowKey) {
      int since = readAt[cell];
      keep(rowKey, row);
      cell = find(rowKey);
      if (keys[cell] == rowKey) {
        readAt[cell] = since;
      }
    }
  }

  /** Forgets a row. */
  void drop(long rowKey) {
    int cell = find(rowKey);
    if (keys[cell] == rowKey) {
      clear(cell);
    }
  }

  /** An update has taken its rows: what has waited for too many of them goes. */
  void nextUpdate() {
    update++;
    long[] oldKeys = keys;
    byte[][] oldRows = rows;
    int[] oldReadAt = readAt;
    int left = 0;
    for (int cell = 0; cell < oldKeys.length; cell++) {
      left += stays(oldKeys[cell], oldReadAt[cell]) ? 1 : 0;
    }
    if (left == size && size > keys.length / 8) {
      return;
    }
    allocate(cellsFor(left));
    for (int cell = 0; cell < oldKeys.length; cell++) {
      if (stays(oldKeys[cell], oldReadAt[cell])) {
        enter(oldKeys[cell], oldRows[cell], oldReadAt[cell]);
      }
    }
  }

  private boolean stays(long rowKey, int since) {
    return rowKey != 0 && update - since <= UPDATES_KEPT;
  }

  private static int cellsFor(int count) {
    int cells = FEWEST_CELLS;
    while (2L * cells < 3L * (count + 1L)) {
      cells *= 2;
    }
    return cells;
  }

  /** Whether another row needs more cells: two thirds are the most that is taken. */
  private boolean crowded() {
    return 3L * (size + 1L) > 2L * keys.length;
  }

  private void resize(int cells) {
    long[] oldKeys = keys;
    byte[][] oldRows = rows;
    int[] oldReadAt = readAt;
    allocate(cells);
    for (int cell = 0; cell < oldKeys.length; cell++) {
      if (oldKeys[cell] != 0) {
        enter(oldKeys[cell], oldRows[cell], oldReadAt[cell]);
      }
    }
  }

  private void allocate(int cells) {
    keys = new long[cells];
    rows = new byte[cells][];
    readAt = new int[cells];
    size = 0;
    rowCount = 0;
    rowBytes = 0;
  }

  private void enter(long rowKey, byte[] row, int since) {
    int cell = find(rowKey);
    keys[cell] = rowKey;
    rows[cell] = row;
    readAt[cell] = since;
    size++;
    rowCount += countOf(row);
    rowBytes += bytesOf(row);
  }

  private static int countOf(byte[] row) {
    return row.length == 0 ? 0 : 1;
  }

  private static long bytesOf(byte[] row) {
    return row.length == 0 ? 0 : ARRAY_BYTES + row.length;
  }

  /** The cell of a row, or the one where it would be. */
  private int find(long rowKey) {
    int mask = keys.length - 1;
    int cell = home(rowKey);
    while (keys[cell] != 0 && keys[cell] != rowKey) {
      cell = (cell + 1) & mask;
    }
    return cell;
  }

  /** Row keys are mixed well, but come in the order of their upper bits. */
  private int home(long rowKey) {
    return (int) rowKey & (keys.length - 1);
  }

  private void clear(int cell) {
    rowBytes -= bytesOf(rows[cell]);
    rowCount -= countOf(rows[cell]);
    size--;
    int mask = keys.length - 1;
    int gap = cell;
    // Rows behind it that are not where they belong move up.
    for (int next = (cell + 1) & mask; keys[next] != 0; next = (next + 1) & mask) {
      int home = home(keys[next]);
      if (((next - home) & mask) >= ((next - gap) & mask)) {
        keys[gap] = keys[next];
        rows[gap] = rows[next];
        readAt[gap] = readAt[next];
        gap = next;
      }
    }
    keys[gap] = 0;
    rows[gap] = ABSENT;
    readAt[gap] = 0;
  }
}
