package io.idlalayer.middleware.embedding.hot;

import io.idlalayer.middleware.embedding.store.RowStoreException;
import io.idlalayer.middleware.embedding.store.StoredRow;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Encodes changes to embedding rows as one entry of a store's log. Version 1, big-endian: u8
 * version, then for each row i64 row key, i32 length, and the bytes of {@link StoredRow}. Length -1
 * marks a row that is in the store from here on, or that was deleted: earlier entries of the row
 * are then void.
 */
public final class LogEntry {
  private static final byte VERSION = 1;
  private static final int IN_STORE = -1;

  private ByteBuffer out = ByteBuffer.allocate(1 << 12).put(VERSION);
  private int rows;

  /** Receives the rows of a log entry, in the order of the entry. */
  public interface Reader {
    void row(long rowKey, byte[] row);

    void inStore(long rowKey);
  }

  public void row(long rowKey, byte[] row) {
    head(rowKey, row.length, row.length);
    out.put(row);
  }

  /** Adds the row in a slot to this entry. */
  public void row(long rowKey, HotRows rows, int slot) {
    int length = rows.encodedBytes();
    head(rowKey, length, length);
    rows.encode(slot, out.array(), out.position());
    out.position(out.position() + length);
  }

  public void inStore(long rowKey) {
    head(rowKey, IN_STORE, 0);
  }

  private void head(long rowKey, int length, int following) {
    long needed = (long) out.position() + Long.BYTES + Integer.BYTES + following;
    if (needed > out.capacity()) {
      int capacity = (int) Math.max(needed, Math.min(Integer.MAX_VALUE - 8L, 2L * out.capacity()));
      out = ByteBuffer.wrap(Arrays.copyOf(out.array(), capacity)).position(out.position());
    }
    out.putLong(rowKey).putInt(length);
    rows++;
  }

  /** Returns the number of bytes of this entry so far. */
  public int size() {
    return out.position();
  }

  public boolean empty() {
    return rows == 0;
  }

  public byte[] bytes() {
    return Arrays.copyOf(out.array(), out.position());
  }

  /**
   * Returns the number of rows in an encoded entry.
   *
   * @throws RowStoreException if it is damaged
   */
  public static int rows(byte[] entry) {
    int[] count = {0};
    read(entry, (rowKey, at, length) -> count[0]++);
    return count[0];
  }

  /**
   * Decodes an entry and passes its rows to a reader.
   *
   * @throws RowStoreException if it is damaged
   */
  public static void read(byte[] entry, Reader reader) {
    read(
        entry,
        (rowKey, at, length) -> {
          if (length == IN_STORE) {
            reader.inStore(rowKey);
          } else {
            reader.row(rowKey, Arrays.copyOfRange(entry, at, at + length));
          }
        });
  }

  private interface Heads {
    /**
     * @param at where the row's bytes begin in the entry
     */
    void head(long rowKey, int at, int length);
  }

  private static void read(byte[] entry, Heads heads) {
    ByteBuffer in = ByteBuffer.wrap(entry);
    if (entry.length == 0 || in.get() != VERSION) {
      throw new RowStoreException("an entry of the row log is not in format " + VERSION);
    }
    while (in.hasRemaining()) {
      if (in.remaining() < Long.BYTES + Integer.BYTES) {
        throw new RowStoreException("an entry of the row log is cut off");
      }
      long rowKey = in.getLong();
      int length = in.getInt();
      int following = length == IN_STORE ? 0 : length;
      if (following < 0 || following > in.remaining()) {
        throw new RowStoreException("an entry of the row log is cut off");
      }
      heads.head(rowKey, in.position(), length);
      in.position(in.position() + following);
    }
  }
}
