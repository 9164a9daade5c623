package io.idlalayer.middleware.embedding.file;

import io.idlalayer.middleware.embedding.plan.EmbeddingPlan;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * The embedding rows of a model version as a file, for serving: weights without the updater's
 * state. Version 1, big-endian:
 *
 * <pre>
 *   "IDLR", u8 version, u8 kind (0 full, 1 delta), u16 tables
 *   for each table: name (modified UTF-8 with u16 length), i32 vector, i32 weights,
 *     entries: u8 1, i64 key, floats of the weights: a row
 *              u8 2, i64 key: a row that was deleted (in deltas only)
 *     u8 0, i64 number of entries
 * </pre>
 *
 * Entries are in the order in which stores iterate: by ascending {@link
 * EmbeddingPlan.Table#rowKey}, as unsigned numbers. So a full file is written by one scan of a
 * store, and files are merged by reading them side by side. Equal rows give equal bytes. A delta
 * holds all weights of each row that changed since another version.
 */
public final class RowFile {
  private static final int MAGIC = 0x49444C52;
  private static final int VERSION = 1;
  private static final int BUFFER_BYTES = 1 << 16;
  private static final int END = 0;
  private static final int ROW = 1;
  private static final int DELETED = 2;
  private static final int MOST_WEIGHTS = 1 << 20;

  private RowFile() {}

  /** The two kinds of row files: full files, and files with changes. */
  public enum Kind {
    /** The file holds all rows of the version. */
    FULL,
    /** The file holds the rows that changed since another version, and the keys of deleted rows. */
    DELTA
  }

  /**
   * The head of a table in the file.
   *
   * @param vector how many of the weights are the vector; the others are the wide part
   */
  public record Table(String name, int vector, int weights) {
    public static Table of(EmbeddingPlan.Table table) {
      return new Table(table.name(), table.vector(), table.layout().weights());
    }

    public long salt() {
      return EmbeddingPlan.Table.saltOf(name);
    }
  }

  /**
   * Checks that the next table in a file equals the plan's table at an index.
   *
   * @param at index of the table in the plan
   */
  public static void checkTable(EmbeddingPlan plan, int at, Table found) throws IOException {
    if (at >= plan.tables().size() || !Table.of(plan.tables().get(at)).equals(found)) {
      throw new IOException("its %s is not in the model".formatted(found));
    }
  }

  /** Checks that a file has as many tables as a plan. */
  public static void checkAllTables(EmbeddingPlan plan, int found) throws IOException {
    if (found != plan.tables().size()) {
      throw new IOException(
          String.format(
              Locale.ROOT, "it has %d tables instead of %d", found, plan.tables().size()));
    }
  }

  /** Receives the entries of files, table by table. */
  public interface Sink {
    /** Receives the head of the next table, whose rows follow. */
    void table(Table table) throws IOException;

    /** Receives a row of the table. */
    void row(long key, float[] values, int at) throws IOException;

    /** Receives the key of a deleted row of the table. */
    void deleted(long key) throws IOException;

    /** Notifies that the table has no further entries. */
    void end() throws IOException;
  }

  /**
   * Merges the row files of successive versions into one. The newest state of each row is kept. The
   * result has the kind of the oldest file; a full file omits deletions.
   *
   * @param newestFirst readers at their beginnings, newest first, with equal tables
   * @throws IOException if a file is damaged, or has other tables
   */
  public static void merge(List<Reader> newestFirst, OutputStream to) throws IOException {
    Reader oldest = newestFirst.get(newestFirst.size() - 1);
    Writer writer = new Writer(to, oldest.kind(), oldest.tables());
    merge(newestFirst, writer, oldest.kind() == Kind.FULL);
    writer.flush();
  }

  /**
   * @param full whether deletions are left out
   */
  public static void merge(List<Reader> newestFirst, Sink to, boolean full) throws IOException {
    Reader oldest = newestFirst.get(newestFirst.size() - 1);
    for (Reader each : newestFirst) {
      if (each.kind() == Kind.FULL && each != oldest) {
        throw new IOException("a full row file may only be first in a chain");
      }
      if (each.tables() != oldest.tables()) {
        throw new IOException(
            String.format(
                Locale.ROOT,
                "a row file of %d tables follows one of %d",
                each.tables(),
                oldest.tables()));
      }
    }
    for (int table = 0; table < oldest.tables(); table++) {
      Table head = oldest.nextTable();
      for (Reader each : newestFirst.subList(0, newestFirst.size() - 1)) {
        Table other = each.nextTable();
        if (!other.equals(head)) {
          throw new IOException("a row file with %s follows one with %s".formatted(other, head));
        }
      }
      to.table(head);
      mergeTable(newestFirst, to, full);
      to.end();
    }
    for (Reader each : newestFirst) {
      each.checkEnd();
    }
  }

  /**
   * A file in a merge: its reader, and its place in the order from the newest file to the oldest.
   */
  private record Open(Reader reader, int age) {
    static final Comparator<Open> ORDER =
        (one, other) -> {
          int byKey = Long.compareUnsigned(one.reader.rowKey, other.reader.rowKey);
          return byKey == 0 ? Integer.compare(one.age, other.age) : byKey;
        };
  }

  private static void mergeTable(List<Reader> newestFirst, Sink to, boolean full)
      throws IOException {
    PriorityQueue<Open> open = new PriorityQueue<>(newestFirst.size(), Open.ORDER);
    for (int age = 0; age < newestFirst.size(); age++) {
      advance(new Open(newestFirst.get(age), age), open);
    }
    for (Open newest = open.poll(); newest != null; newest = open.poll()) {
      Reader reader = newest.reader();
      float[] values = reader.values();
      if (values != null) {
        to.row(reader.key(), values, 0);
      } else if (!full) {
        to.deleted(reader.key());
      }
      long rowKey = reader.rowKey;
      for (Open older = open.peek();
          older != null && older.reader().rowKey == rowKey;
          older = open.peek()) {
        open.remove();
        advance(older, open);
      }
      advance(newest, open);
    }
  }

  private static void advance(Open file, PriorityQueue<Open> open) throws IOException {
    if (file.reader().next()) {
      open.add(file);
    }
  }

  /** Returns the bytes that a row takes in a file: its tag, its key and its weights. */
  public static int rowBytes(int weights) {
    return 1 + Long.BYTES + Float.BYTES * weights;
  }

  /** Writes a file table by table, entry by entry. */
  public static final class Writer implements Sink {
    private final DataOutputStream out;
    private ByteBuffer row = ByteBuffer.allocate(0);
    private int weights;
    private long entries;

    /** Writes the head of a file; closing the stream is left to the caller. */
    public Writer(OutputStream to, Kind kind, int tables) throws IOException {
      out = new DataOutputStream(new BufferedOutputStream(to, BUFFER_BYTES));
      out.writeInt(MAGIC);
      out.writeByte(VERSION);
      out.writeByte(kind == Kind.FULL ? 0 : 1);
      out.writeShort(tables);
    }

    /** Begins a table by writing its head. */
    @Override
    public void table(Table table) throws IOException {
      out.writeUTF(table.name());
      out.writeInt(table.vector());
      out.writeInt(table.weights());
      weights = table.weights();
      row = ByteBuffer.allocate(rowBytes(weights));
      entries = 0;
    }

    /** Adds a row to the table. Rows come in the order of the format. */
    @Override
    public void row(long key, float[] values, int at) throws IOException {
      row.clear().put((byte) ROW).putLong(key).asFloatBuffer().put(values, at, weights);
      out.write(row.array());
      entries++;
    }

    /**
     * Adds the key of a deleted row to the table; rows and deletions must be in the order of the
     * format.
     */
    @Override
    public void deleted(long key) throws IOException {
      out.writeByte(DELETED);
      out.writeLong(key);
      entries++;
    }

    /** Ends the table that was begun last. */
    @Override
    public void end() throws IOException {
      out.writeByte(END);
      out.writeLong(entries);
    }

    /** Writes the buffered bytes to the stream. */
    public void flush() throws IOException {
      out.flush();
    }
  }

  /** Reads a file table by table, entry by entry, and checks all of it. */
  public static final class Reader {
    private final DataInputStream in;
    private final Kind kind;
    private final int tables;
    private float[] row = {};
    private ByteBuffer bytes = ByteBuffer.allocate(0);
    private long salt;
    private long key;
    private long rowKey;
    private boolean deleted;
    private long entries;

    /**
     * Reads the head of a file; closing the stream is left to the caller.
     *
     * @throws IOException if it is not in this format
     */
    public Reader(InputStream from) throws IOException {
      in = new DataInputStream(new BufferedInputStream(from, BUFFER_BYTES));
      if (in.readInt() != MAGIC) {
        throw new IOException("it is not a row file");
      }
      int version = in.readUnsignedByte();
      if (version != VERSION) {
        throw new IOException(
            String.format(
                Locale.ROOT,
                "it has version %d of the format, this program reads %d",
                version,
                VERSION));
      }
      int code = in.readUnsignedByte();
      if (code > 1) {
        throw new IOException("it has the unknown kind " + code);
      }
      kind = code == 0 ? Kind.FULL : Kind.DELTA;
      tables = in.readUnsignedShort();
    }

    public Kind kind() {
      return kind;
    }

    /** Returns the number of tables in the file. */
    public int tables() {
      return tables;
    }

    /** Begins the next table; the table before must have been read to its end. */
    public Table nextTable() throws IOException {
      Table table = new Table(in.readUTF(), in.readInt(), in.readInt());
      if (table.weights() < 1
          || table.weights() > MOST_WEIGHTS
          || table.vector() < 0
          || table.vector() > table.weights()) {
        throw new IOException("it has a table with impossible lengths: " + table);
      }
      row = new float[table.weights()];
      bytes = ByteBuffer.allocate(Float.BYTES * row.length);
      salt = table.salt();
      entries = 0;
      return table;
    }

    /** Moves to the next entry of the table; returns false if there is none. */
    public boolean next() throws IOException {
      int tag = in.readUnsignedByte();
      if (tag == END) {
        long expected = in.readLong();
        if (expected != entries) {
          throw new IOException(
              String.format(
                  Locale.ROOT, "a table has %d entries instead of %d", entries, expected));
        }
        return false;
      }
      long before = rowKey;
      key = in.readLong();
      rowKey = EmbeddingPlan.Table.rowKey(key, salt);
      if (entries > 0 && Long.compareUnsigned(rowKey, before) <= 0) {
        throw new IOException(
            "its entries are not in order: row %016x follows row %016x".formatted(rowKey, before));
      }
      deleted = tag == DELETED;
      if (tag == ROW) {
        in.readFully(bytes.array());
        bytes.asFloatBuffer().get(row);
      } else if (!deleted || kind == Kind.FULL) {
        throw new IOException("an entry has the unknown tag " + tag);
      }
      entries++;
      return true;
    }

    /** Returns the key of the current entry. */
    public long key() {
      return key;
    }

    /**
     * Returns the weights of the current entry's row, valid until the next entry; null if the row
     * was deleted.
     */
    public float @Nullable [] values() {
      return deleted ? null : row;
    }

    /**
     * @throws IOException if bytes follow the last table
     */
    public void checkEnd() throws IOException {
      try {
        in.readByte();
      } catch (EOFException end) {
        return;
      }
      throw new IOException("bytes follow the last table");
    }
  }
}
