package io.idlalayer.middleware.embedding;

import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/**
 * Rows of a model version as a file, for those who serve it: weights without the updater's state.
 * Version 1, big-endian:
 *
 * <pre>
 *   "IDLR", u8 version, u8 kind (0 full, 1 delta), u16 tables
 *   for each table: name (modified UTF-8 with u16 length), i32 vector, i32 weights,
 *     i64 rows, i64 deleted,
 *     the rows, keys ascending: i64 key, floats of the weights
 *     the keys of deleted rows, ascending: i64 each
 * </pre>
 *
 * Equal rows give equal bytes. A delta holds each row that changed since another version, as a
 * whole.
 */
public final class RowFile {
  static final int MAGIC = 0x49444C52;
  static final int VERSION = 1;

  private RowFile() {}

  /** What a file holds. */
  public enum Kind {
    /** All rows. */
    FULL(0),
    /** Those that changed since another version. */
    DELTA(1);

    private final int code;

    Kind(int code) {
      this.code = code;
    }

    int code() {
      return code;
    }
  }

  /** Writes a file table by table, row by row. */
  public static final class Writer {
    private final DataOutputStream out;

    /** Begins a file; closing the stream is left to the caller. */
    public Writer(OutputStream to, Kind kind, int tables) throws IOException {
      out = new DataOutputStream(to);
      out.writeInt(MAGIC);
      out.writeByte(VERSION);
      out.writeByte(kind.code());
      out.writeShort(tables);
    }

    /** Begins a table. */
    public void table(EmbeddingPlan.Table table, long rows, long deleted) throws IOException {
      out.writeUTF(table.name());
      out.writeInt(table.vector());
      out.writeInt(table.layout().weights());
      out.writeLong(rows);
      out.writeLong(deleted);
    }

    /** Adds a row to the table, with a key above those before. */
    public void row(long key, float[] values, int at, int weights) throws IOException {
      out.writeLong(key);
      for (int i = at; i < at + weights; i++) {
        out.writeInt(Float.floatToRawIntBits(values[i]));
      }
    }

    /** Adds the key of a deleted row, behind all rows. */
    public void deleted(long key) throws IOException {
      out.writeLong(key);
    }

    /** Hands over what was buffered. */
    public void flush() throws IOException {
      out.flush();
    }
  }
}
