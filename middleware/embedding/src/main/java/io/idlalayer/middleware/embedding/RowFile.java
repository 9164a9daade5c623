package io.idlalayer.middleware.embedding;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Rows of a model version as a file, for those who serve it: weights without the updater's state.
 * Version 1, big-endian:
 *
 * <pre>
 *   "IDLR", u8 version, u8 kind (0 full, 1 delta), u16 tables
 *   for each table: name (modified UTF-8 with u16 length), i32 vector, i32 weights,
 *     entries, keys ascending: u8 1, i64 key, floats of the weights: a row
 *                              u8 2, i64 key: a row that was deleted (in deltas only)
 *     u8 0, i64 number of entries
 * </pre>
 *
 * Equal rows give equal bytes. A delta holds each row that changed since another version, as a
 * whole.
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

  /** What a file holds. */
  public enum Kind {
    /** All rows. */
    FULL,
    /** Those that changed since another version. */
    DELTA
  }

  /**
   * The head of a table.
   *
   * @param vector how many of the weights are the vector; the others are the wide part
   */
  public record Table(String name, int vector, int weights) {
    static Table of(EmbeddingPlan.Table table) {
      return new Table(table.name(), table.vector(), table.layout().weights());
    }
  }

  /** The rows that a training has changed, and those that were deleted before it, as a delta. */
  public static byte[] delta(RowBatch trained, List<RowTables.Removed> removed) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try {
      List<EmbeddingPlan.Table> tables = trained.plan().tables();
      Writer writer = new Writer(bytes, Kind.DELTA, tables.size());
      for (int table = 0; table < tables.size(); table++) {
        writer.table(Table.of(tables.get(table)));
        write(writer, trained.rows(table), deleted(table, removed));
        writer.end();
      }
      writer.flush();
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    return bytes.toByteArray();
  }

  private static List<Long> deleted(int table, List<RowTables.Removed> removed) {
    return removed.stream()
        .filter(each -> each.table() == table)
        .map(RowTables.Removed::key)
        .toList();
  }

  private static void write(Writer writer, RowSet set, List<Long> deleted) throws IOException {
    TreeMap<Long, Integer> positions = new TreeMap<>();
    deleted.forEach(key -> positions.put(key, -1));
    IntStream.range(0, set.size())
        .filter(set::changed)
        .forEach(position -> positions.put(set.key(position), position));
    for (var each : positions.entrySet()) {
      if (each.getValue() < 0) {
        writer.deleted(each.getKey());
      } else {
        writer.row(each.getKey(), set.values(), set.at(each.getValue()));
      }
    }
  }

  /** What two deltas, one after the other, change together. */
  public static byte[] merged(byte[] older, byte[] newer) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(older.length + newer.length);
    try {
      merge(
          List.of(
              new Reader(new ByteArrayInputStream(newer)),
              new Reader(new ByteArrayInputStream(older))),
          bytes);
    } catch (IOException damaged) {
      throw new RowStoreException("the changes of two updates cannot be merged", damaged);
    }
    return bytes.toByteArray();
  }

  /**
   * Merges files of versions that follow one another. Of each row the newest is kept. The result is
   * of the kind of the oldest; deletions are left out of a full one.
   *
   * @param newestFirst at their beginnings, of the same tables
   * @throws IOException if a file is damaged, or is of other tables
   */
  public static void merge(List<Reader> newestFirst, OutputStream to) throws IOException {
    Reader oldest = newestFirst.get(newestFirst.size() - 1);
    Writer writer = new Writer(to, oldest.kind(), oldest.tables());
    for (int table = 0; table < oldest.tables(); table++) {
      Table head = oldest.nextTable();
      for (Reader each : newestFirst.subList(0, newestFirst.size() - 1)) {
        Table other = each.nextTable();
        if (!other.equals(head)) {
          throw new IOException("rows of %s follow rows of %s".formatted(other, head));
        }
      }
      writer.table(head);
      mergeTable(newestFirst, writer, oldest.kind());
      writer.end();
    }
    for (Reader each : newestFirst) {
      each.checkEnd();
    }
    writer.flush();
  }

  private static void mergeTable(List<Reader> newestFirst, Writer writer, Kind kind)
      throws IOException {
    List<Reader> open = new ArrayList<>();
    for (Reader each : newestFirst) {
      if (each.next()) {
        open.add(each);
      }
    }
    while (!open.isEmpty()) {
      // The first of the smallest: the newest.
      Reader newest = open.stream().min(Comparator.comparingLong(Reader::key)).orElseThrow();
      long key = newest.key();
      float[] values = newest.values();
      if (values != null) {
        writer.row(key, values, 0);
      } else if (kind == Kind.DELTA) {
        writer.deleted(key);
      }
      List<Reader> left = new ArrayList<>(open.size());
      for (Reader each : open) {
        if (each.key() != key || each.next()) {
          left.add(each);
        }
      }
      open = left;
    }
  }

  /** Writes a file table by table, entry by entry. */
  public static final class Writer {
    private final DataOutputStream out;
    private ByteBuffer row = ByteBuffer.allocate(0);
    private int weights;
    private long entries;

    /** Begins a file; closing the stream is left to the caller. */
    public Writer(OutputStream to, Kind kind, int tables) throws IOException {
      out = new DataOutputStream(new BufferedOutputStream(to, BUFFER_BYTES));
      out.writeInt(MAGIC);
      out.writeByte(VERSION);
      out.writeByte(kind == Kind.FULL ? 0 : 1);
      out.writeShort(tables);
    }

    /** Begins a table. */
    public void table(Table table) throws IOException {
      out.writeUTF(table.name());
      out.writeInt(table.vector());
      out.writeInt(table.weights());
      weights = table.weights();
      row = ByteBuffer.allocate(1 + Long.BYTES + Float.BYTES * weights);
      entries = 0;
    }

    /** Adds a row to the table, with a key above those before. */
    public void row(long key, float[] values, int at) throws IOException {
      row.clear().put((byte) ROW).putLong(key).asFloatBuffer().put(values, at, weights);
      out.write(row.array());
      entries++;
    }

    /** Adds the key of a deleted row, above those before. */
    public void deleted(long key) throws IOException {
      out.writeByte(DELETED);
      out.writeLong(key);
      entries++;
    }

    /** Ends a table. */
    public void end() throws IOException {
      out.writeByte(END);
      out.writeLong(entries);
    }

    /** Hands over what was buffered. */
    public void flush() throws IOException {
      out.flush();
    }
  }

  /**
   * Reads a file table by table, entry by entry. Nothing of it is believed before it is checked.
   */
  public static final class Reader {
    private final DataInputStream in;
    private final Kind kind;
    private final int tables;
    private float[] row = {};
    private ByteBuffer bytes = ByteBuffer.allocate(0);
    private long key;
    private boolean deleted;
    private long entries;

    /**
     * Begins a file; closing the stream is left to the caller.
     *
     * @throws IOException if it is none of this format
     */
    public Reader(InputStream from) throws IOException {
      in = new DataInputStream(new BufferedInputStream(from, BUFFER_BYTES));
      if (in.readInt() != MAGIC) {
        throw new IOException("it is no file of rows");
      }
      int version = in.readUnsignedByte();
      if (version != VERSION) {
        throw new IOException(
            "it is in version %d of the format; known is %d".formatted(version, VERSION));
      }
      int code = in.readUnsignedByte();
      if (code > 1) {
        throw new IOException("it is of the unknown kind " + code);
      }
      kind = code == 0 ? Kind.FULL : Kind.DELTA;
      tables = in.readUnsignedShort();
    }

    public Kind kind() {
      return kind;
    }

    /** Number of tables. */
    public int tables() {
      return tables;
    }

    /** Begins the next table; the last must be at its end. */
    public Table nextTable() throws IOException {
      Table table = new Table(in.readUTF(), in.readInt(), in.readInt());
      if (table.weights() < 1
          || table.weights() > MOST_WEIGHTS
          || table.vector() < 0
          || table.vector() > table.weights()) {
        throw new IOException("it has the impossible table " + table);
      }
      row = new float[table.weights()];
      bytes = ByteBuffer.allocate(Float.BYTES * row.length);
      entries = 0;
      return table;
    }

    /** Goes to the next entry of the table; false at its end. */
    public boolean next() throws IOException {
      int tag = in.readUnsignedByte();
      if (tag == END) {
        long expected = in.readLong();
        if (expected != entries) {
          throw new IOException(
              "a table has %d entries instead of %d".formatted(entries, expected));
        }
        return false;
      }
      long before = key;
      key = in.readLong();
      if (entries > 0 && key <= before) {
        throw new IOException("key %d follows key %d".formatted(key, before));
      }
      deleted = tag == DELETED;
      if (tag == ROW) {
        in.readFully(bytes.array());
        bytes.asFloatBuffer().get(row);
      } else if (!deleted || kind == Kind.FULL) {
        throw new IOException("an entry has the tag " + tag);
      }
      entries++;
      return true;
    }

    /** The key of the entry. */
    public long key() {
      return key;
    }

    /** The weights of the row, until the next entry; null if it was deleted. */
    public float @Nullable [] values() {
      return deleted ? null : row;
    }

    /**
     * @throws IOException if something follows the last table
     */
    public void checkEnd() throws IOException {
      try {
        in.readByte();
      } catch (EOFException end) {
        return;
      }
      throw new IOException("something follows the last table");
    }
  }
}
