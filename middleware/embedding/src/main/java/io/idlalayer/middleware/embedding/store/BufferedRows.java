package io.idlalayer.middleware.embedding.store;

import org.jspecify.annotations.Nullable;

/**
 * A store of embedding rows with two buffers in DRAM: prefetched rows, and rows that are still to
 * be written. A read sees earlier writes. Hot rows are not read here; a row that is still to be
 * written may be older than the hot one. One thread.
 */
public final class BufferedRows {
  /** Largest number of bytes of DRAM for prefetched rows. */
  public static final long MOST_BYTES_AHEAD = ReadAhead.MOST_BYTES;

  /** Number of buffered rows at which all rows to be written are written at once. */
  static final int MOST_TO_WRITE = 1 << 16;

  private final RowStore store;
  private final long mostBytesToWrite;
  private final ReadAhead ahead;
  private final WaitingRows toWrite = new WaitingRows();
  private long written;

  /** Receives the rows that a read has found. */
  @FunctionalInterface
  public interface Reader {
    /**
     * @param i index of the key in the request
     * @param fromStore whether the row was read from the store, not from DRAM
     * @return whether the reader has called {@link #hot} for the row, so that it is not kept here
     */
    boolean row(int i, byte[] row, boolean fromStore);
  }

  /** The purposes of a read, which decide what the read changes in the buffers. */
  public enum Use {
    /** A look that changes nothing. */
    LOOK,
    /** A prefetch, which keeps the rows that were read because an update will need them. */
    AHEAD,
    /** A read by an update, which removes the rows that were kept for it. */
    UPDATE
  }

  /**
   * @param mostBytesAhead most bytes of DRAM for rows read ahead
   * @param mostBytesToWrite most bytes of DRAM for rows to be written; one row may exceed it
   */
  public BufferedRows(RowStore store, long mostBytesAhead, long mostBytesToWrite) {
    this.store = store;
    this.mostBytesToWrite = mostBytesToWrite;
    ahead = new ReadAhead(mostBytesAhead);
  }

  /**
   * Reads rows that are not hot, and keeps none of them in the buffers. The reader may make the
   * calls that {@link #read} allows.
   */
  public void look(long[] rowKeys, int count, RowStore.RowReader reader) {
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
   * Reads rows that are not hot, from the buffers or else from the store. The reader may call
   * {@link #hot} for the row that it receives. It may {@link #put} this row, unless rows are read
   * ahead, and a row that was hot.
   *
   * @param count number of keys to read, from the first on
   */
  public void read(long[] rowKeys, int count, Use use, Reader reader) {
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

  /**
   * Returns the row that the buffers have; {@link ReadAhead#ABSENT} if the store has none, null if
   * only the store can tell.
   */
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

  /** Notifies the buffers that an update has read all its rows. */
  public void nextUpdate() {
    ahead.nextUpdate();
  }

  /**
   * Takes a row into the buffer of rows to be written. The caller does not change the array any
   * more.
   */
  public void put(long rowKey, byte[] row) {
    toWrite.put(rowKey, row);
    ahead.changed(rowKey, row);
    if (toWrite.size() >= MOST_TO_WRITE || toWrite.bytes() >= mostBytesToWrite) {
      write();
    }
  }

  /**
   * Notifies the buffers that a row has become hot.
   *
   * @param newer whether the hot row is newer than the one here, and in the log; if so, the one
   *     here is dropped instead of written
   */
  public void hot(long rowKey, boolean newer) {
    ahead.drop(rowKey);
    if (newer) {
      toWrite.remove(rowKey);
    }
  }

  /** Deletes rows from the buffers and from the store. */
  public void remove(long[] rowKeys, int count) {
    for (int i = 0; i < count; i++) {
      ahead.drop(rowKeys[i]);
      toWrite.remove(rowKeys[i]);
    }
    store.remove(rowKeys, count);
  }

  /** Writes the buffered rows to the store. */
  public void write() {
    if (toWrite.size() > 0) {
      written += toWrite.size();
      // Rows are written in the order of the store, which takes RocksDB half the time.
      store.write(toWrite.ascending());
      toWrite.clear();
    }
  }

  /** Returns the number of rows written to the store so far. */
  public long written() {
    return written;
  }

  /** Returns the number of rows in both buffers. */
  public long rows() {
    return (long) ahead.rows() + toWrite.size();
  }

  /** Returns the bytes of DRAM that prefetched rows take. */
  public long bytesAhead() {
    return ahead.bytes();
  }

  /** Returns the bytes of DRAM that rows to be written take. */
  public long bytesToWrite() {
    return toWrite.bytes();
  }
}
