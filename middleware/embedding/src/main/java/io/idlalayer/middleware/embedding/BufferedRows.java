package io.idlalayer.middleware.embedding;

import org.jspecify.annotations.Nullable;

/**
 * The rows of a store, with what has been read ahead of it and what is yet to be written to it: who
 * reads here sees what was put here. Nobody reads hot rows here; what is still to be written of one
 * is as new as it is, or older. One thread.
 */
final class BufferedRows {
  /** Rows that are to be written at most; with more, they are written at once. */
  static final int MOST_TO_WRITE = 1 << 16;

  private final RowStore store;
  private final long mostBytesToWrite;
  private final ReadAhead ahead;
  private final WaitingRows toWrite = new WaitingRows();
  private long written;

  /** Takes what was found. */
  @FunctionalInterface
  interface Reader {
    /**
     * @param i index of the key in the request
     * @param fromStore whether it was not in DRAM
     * @return whether the reader has called {@link #hot} of it, so that it is not kept here
     */
    boolean row(int i, byte[] row, boolean fromStore);
  }

  /** What a read does with what it reads. */
  enum Use {
    /** Nothing. */
    LOOK,
    /** Keeps it, as an update will need it. */
    AHEAD,
    /** Takes what was kept. */
    UPDATE
  }

  /**
   * @param mostBytesAhead of DRAM for what is read ahead
   * @param mostBytesToWrite of DRAM for rows that are to be written, but for one of them
   */
  BufferedRows(RowStore store, long mostBytesAhead, long mostBytesToWrite) {
    this.store = store;
    this.mostBytesToWrite = mostBytesToWrite;
    ahead = new ReadAhead(mostBytesAhead);
  }

  /** Reads rows that are not hot, and keeps none. The reader may do what it may do below. */
  void look(long[] rowKeys, int count, RowStore.RowReader reader) {
    read(
        rowKeys,
        count,
        Use.LOOK,
        (i, row, fromStore) -> {
          reader.row(i, row);
          return false;
        });
  }

  /**
   * Reads rows that are not hot. The reader may put the row here that it is told of, but not where
   * it is read ahead, or one that was hot, and may say that it is hot now.
   *
   * @param count of the keys that count
   */
  void read(long[] rowKeys, int count, Use use, Reader reader) {
    long[] unknown = new long[count];
    int[] asked = new int[count];
    int left = 0;
    for (int i = 0; i < count; i++) {
      byte[] row = buffered(rowKeys[i], use);
      if (row == null) {
        unknown[left] = rowKeys[i];
        asked[left++] = i;
      } else if (row.length > 0) {
        reader.row(i, row, false);
      }
    }
    if (use == Use.AHEAD) {
      readAhead(unknown, left, asked, reader);
    } else {
      store.read(unknown, left, (i, row) -> reader.row(asked[i], row, true));
    }
  }

  /** The row, {@link ReadAhead#ABSENT} if there is none, null if only the store knows. */
  private byte @Nullable [] buffered(long rowKey, Use use) {
    byte[] written = toWrite.get(rowKey);
    return switch (use) {
      case LOOK -> written == null ? ahead.get(rowKey) : written;
      case AHEAD -> {
        if (written != null) {
          ahead.keep(rowKey, written);
        }
        yield written == null ? ahead.wanted(rowKey) : written;
      }
      case UPDATE -> {
        byte[] kept = ahead.take(rowKey);
        yield written == null ? kept : written;
      }
    };
  }

  private void readAhead(long[] rowKeys, int count, int[] asked, Reader reader) {
    boolean[] found = new boolean[count];
    store.read(
        rowKeys,
        count,
        (i, row) -> {
          found[i] = true;
          if (!reader.row(asked[i], row, true)) {
            ahead.keep(rowKeys[i], row);
          }
        });
    for (int i = 0; i < count; i++) {
      if (!found[i]) {
        ahead.keep(rowKeys[i], ReadAhead.ABSENT);
      }
    }
  }

  /** An update has read all its rows. */
  void nextUpdate() {
    ahead.nextUpdate();
  }

  /** A row is to be written; the array is not changed any more. */
  void put(long rowKey, byte[] row) {
    toWrite.put(rowKey, row);
    ahead.changed(rowKey, row);
    if (toWrite.size() >= MOST_TO_WRITE || toWrite.bytes() >= mostBytesToWrite) {
      write();
    }
  }

  /**
   * A row is hot from now on.
   *
   * @param newer whether it is newer there than here, and in the log; if not, what is to be written
   *     of it is written
   */
  void hot(long rowKey, boolean newer) {
    ahead.drop(rowKey);
    if (newer) {
      toWrite.remove(rowKey);
    }
  }

  /** Deletes rows. */
  void remove(long[] rowKeys, int count) {
    for (int i = 0; i < count; i++) {
      ahead.drop(rowKeys[i]);
      toWrite.remove(rowKeys[i]);
    }
    store.remove(rowKeys, count);
  }

  /** Writes what is to be written. */
  void write() {
    if (toWrite.size() > 0) {
      written += toWrite.size();
      // In the order of the store: RocksDB takes half as long then.
      store.write(toWrite.ascending());
      toWrite.clear();
    }
  }

  /** Rows that were written to the store. */
  long written() {
    return written;
  }

  /** Rows that were read ahead, and rows that are to be written. */
  long rows() {
    return (long) ahead.rows() + toWrite.size();
  }

  /** Bytes of DRAM that rows read ahead take. */
  long bytesAhead() {
    return ahead.bytes();
  }

  /** Bytes of DRAM that rows take which are to be written. */
  long bytesToWrite() {
    return toWrite.bytes();
  }
}
