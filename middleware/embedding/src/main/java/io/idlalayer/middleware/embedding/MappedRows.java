package io.idlalayer.middleware.embedding;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All rows of a version in a file that is mapped, so that the system keeps in memory what is asked
 * for. The file is local, belongs to this process and is deleted when nobody uses it any more. Safe
 * for many threads. Version 1, little-endian:
 *
 * <pre>
 *   header of 64 bytes: i64 magic, i32 version, i32 tables, i64 where the contents are, i64 their
 *     bytes, SHA-256 of the contents
 *   for each table, at a multiple of 8: rows of fixed length, by ascending {@link
 *     EmbeddingPlan.Table#rowKey} as unsigned numbers: i64 row key, floats of the weights
 *   then its index: i32, for each value of the first bits of row keys: the first row that has them
 *     or more; at the end the number of rows
 *   contents, big-endian, for each table: name (modified UTF-8 with u16 length), i32 vector,
 *     i32 weights, i32 rows, i64 where they are, i32 bits of the index, i64 where it is
 * </pre>
 *
 * Row keys are hashes, so each part of the index has about as many rows as another: two to four on
 * average.
 */
final class MappedRows {
  static final ByteOrder ORDER = ByteOrder.LITTLE_ENDIAN;

  /** "IDLROWS" and a zero. */
  static final long MAGIC = 0x0053574F524C4449L;

  static final int VERSION = 1;
  static final int HEADER_BYTES = 64;
  static final int DIGEST_AT = 32;
  private static final int MOST_CONTENTS_BYTES = 1 << 28;
  private static final int MOST_INDEX_BITS = 27;

  /** One mapping can have 2 GiB at most. */
  private static final long SEGMENT_BYTES = 1L << 30;

  private static final Logger LOG = LoggerFactory.getLogger(MappedRows.class);

  /** Ten seconds or more. */
  private static final int MOST_WAITS = 100_000;

  private static final long WAIT_NANOS = 100_000;

  private final RowsFolder.Held file;
  private final List<Table> tables = new ArrayList<>();
  private final List<MappedByteBuffer> mapped = new ArrayList<>();

  /** Threads that began and ended to read, so far. */
  private final LongAdder entered = new LongAdder();

  private final LongAdder left = new LongAdder();

  /** Guarded by this, as whether the last use has ended. */
  private int uses;

  private boolean closed;

  /** Where a table is. */
  record Contents(RowFile.Table table, int rows, long rowsAt, int indexBits, long indexAt) {
    long stride() {
      return strideOf(table.weights());
    }
  }

  static long strideOf(int weights) {
    return Long.BYTES + (long) Float.BYTES * weights;
  }

  /** How many bits of row keys an index distinguishes. */
  static int indexBits(int rows) {
    int needed = Integer.SIZE - Integer.numberOfLeadingZeros(Math.max(1, rows / 4 - 1));
    return Math.max(1, Math.min(MOST_INDEX_BITS, needed));
  }

  private MappedRows(RowsFolder.Held file) {
    this.file = file;
  }

  /**
   * Maps a file that was written. If that fails, the file is still the caller's.
   *
   * @throws IOException if it is not whole, in another version of the format, or of other tables
   */
  static MappedRows open(RowsFolder.Held file, EmbeddingPlan plan) throws IOException {
    MappedRows rows = new MappedRows(file);
    boolean done = false;
    try {
      List<Contents> contents = contents(file.channel(), plan);
      for (int i = 0; i < contents.size(); i++) {
        rows.tables.add(rows.map(contents.get(i), plan.tables().get(i).salt()));
      }
      done = true;
      return rows;
    } finally {
      if (!done) {
        rows.mapped.forEach(Mappings::unmap);
      }
    }
  }

  private static List<Contents> contents(FileChannel channel, EmbeddingPlan plan)
      throws IOException {
    ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES).order(ORDER);
    readFully(channel, header, 0);
    if (header.getLong() != MAGIC) {
      throw new IOException("it is no file of mapped rows");
    }
    int version = header.getInt();
    if (version != VERSION) {
      throw new IOException(
          "it is in version %d of the format; known is %d".formatted(version, VERSION));
    }
    int count = header.getInt();
    long at = header.getLong();
    long bytes = header.getLong();
    if (at < HEADER_BYTES
        || bytes < 0
        || bytes > MOST_CONTENTS_BYTES
        || at + bytes != channel.size()) {
      throw new IOException("it is not whole");
    }
    ByteBuffer contents = ByteBuffer.allocate((int) bytes);
    readFully(channel, contents, at);
    if (!Arrays.equals(sha256(contents.array()), 0, 32, header.array(), DIGEST_AT, HEADER_BYTES)) {
      throw new IOException("its contents are damaged");
    }
    if (count != plan.tables().size()) {
      throw new IOException(
          "it has %d tables instead of %d".formatted(count, plan.tables().size()));
    }
    List<Contents> tables = new ArrayList<>();
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(contents.array()));
    for (EmbeddingPlan.Table table : plan.tables()) {
      Contents each =
          new Contents(
              new RowFile.Table(in.readUTF(), in.readInt(), in.readInt()),
              in.readInt(),
              in.readLong(),
              in.readInt(),
              in.readLong());
      if (!RowFile.Table.of(table).equals(each.table())) {
        throw new IOException("its %s is not in the model".formatted(each.table()));
      }
      tables.add(each);
    }
    return tables;
  }

  private static void readFully(FileChannel channel, ByteBuffer to, long from) throws IOException {
    while (to.hasRemaining()) {
      if (channel.read(to, from + to.position()) < 0) {
        throw new IOException("it is not whole");
      }
    }
    to.flip();
  }

  static byte[] sha256(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  private Table map(Contents contents, long salt) throws IOException {
    int shift = 63 - Long.numberOfLeadingZeros(Math.max(1, SEGMENT_BYTES / contents.stride()));
    shift = Math.min(shift, 30);
    long rowsOfSegment = 1L << shift;
    List<ByteBuffer> keys = new ArrayList<>();
    List<FloatBuffer> weights = new ArrayList<>();
    for (long first = 0; first < contents.rows(); first += rowsOfSegment) {
      long rows = Math.min(rowsOfSegment, contents.rows() - first);
      ByteBuffer segment =
          map(contents.rowsAt() + first * contents.stride(), rows * contents.stride());
      keys.add(segment);
      weights.add(segment.asFloatBuffer());
    }
    long cells = (1L << contents.indexBits()) + 1;
    IntBuffer index = map(contents.indexAt(), cells * Integer.BYTES).asIntBuffer();
    return new Table(
        contents,
        salt,
        shift,
        keys.toArray(ByteBuffer[]::new),
        weights.toArray(FloatBuffer[]::new),
        index);
  }

  private ByteBuffer map(long at, long bytes) throws IOException {
    MappedByteBuffer buffer = file.channel().map(FileChannel.MapMode.READ_ONLY, at, bytes);
    mapped.add(buffer);
    return buffer.order(ORDER);
  }

  /** A table of the file. To be used by those who {@link Use#enter entered}. */
  private static final class Table implements BaseRows {
    private final Contents contents;
    private final long salt;
    private final int shift;
    private final int stride;
    private final int weights;
    private final ByteBuffer[] keys;
    private final FloatBuffer[] values;
    private final IntBuffer index;
    private final int indexShift;

    Table(
        Contents contents,
        long salt,
        int shift,
        ByteBuffer[] keys,
        FloatBuffer[] values,
        IntBuffer index) {
      this.contents = contents;
      this.salt = salt;
      this.shift = shift;
      this.keys = keys;
      this.values = values;
      this.index = index;
      stride = (int) contents.stride();
      weights = contents.table().weights();
      indexShift = Long.SIZE - contents.indexBits();
    }

    @Override
    public int size() {
      return contents.rows();
    }

    @Override
    public int find(long key) {
      long wanted = EmbeddingPlan.Table.rowKey(key, salt);
      int cell = (int) (wanted >>> indexShift);
      int low = index.get(cell);
      int high = index.get(cell + 1);
      while (low < high) {
        int middle = (low + high) >>> 1;
        int compared = Long.compareUnsigned(rowKey(middle), wanted);
        if (compared == 0) {
          return middle;
        }
        if (compared < 0) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      return NONE;
    }

    long rowKey(int slot) {
      return keys[slot >> shift].getLong(inSegment(slot) * stride);
    }

    private int inSegment(int slot) {
      return slot & ((1 << shift) - 1);
    }

    @Override
    public void read(int slot, Cursor cursor) {
      float[] to = cursor.own(weights);
      int at = inSegment(slot) * (stride / Float.BYTES) + Long.BYTES / Float.BYTES;
      values[slot >> shift].get(at, to, 0, weights);
      cursor.values = to;
      cursor.at = 0;
    }

    @Override
    public long bytes() {
      return 0;
    }
  }

  List<BaseRows> tables() {
    return List.copyOf(tables);
  }

  /** The key under which the file has a row of a table. */
  long rowKey(int table, int slot) {
    return tables.get(table).rowKey(slot);
  }

  /** Bytes of the file. */
  long bytes() {
    return mapped.stream().mapToLong(MappedByteBuffer::capacity).sum();
  }

  /** Keeps the file until it is closed; closing again does nothing. */
  final class Use implements AutoCloseable {
    private final AtomicBoolean ended = new AtomicBoolean();

    private Use() {}

    MappedRows rows() {
      return MappedRows.this;
    }

    /**
     * Begins to read; {@link #leave} must follow.
     *
     * @throws IllegalStateException if this use is closed
     */
    void enter() {
      entered.increment();
      if (ended.get()) {
        left.increment();
        throw new IllegalStateException("the model is closed, and its rows with it");
      }
    }

    void leave() {
      left.increment();
    }

    @Override
    public void close() {
      if (ended.compareAndSet(false, true)) {
        release();
      }
    }
  }

  /**
   * One more user.
   *
   * @throws IOException if the last one has gone
   */
  synchronized Use use() throws IOException {
    if (closed) {
      throw new IOException("the file of the rows that are continued is closed");
    }
    uses++;
    return new Use();
  }

  private void release() {
    synchronized (this) {
      uses--;
      if (uses > 0) {
        return;
      }
      closed = true;
    }
    try {
      RowsFolder.delete(file);
    } catch (IOException stays) {
      LOG.warn("{} cannot be deleted: {}", file.file(), stays.toString());
    }
    if (allLeft()) {
      mapped.forEach(Mappings::unmap);
    } else {
      // It is unmapped when nobody refers to it any more.
      LOG.warn("somebody goes on reading {} after its model was closed", file.file());
    }
  }

  /**
   * Waits for those who read while the file was closed. They are not more than those who do not
   * keep to their leases.
   */
  private boolean allLeft() {
    for (int wait = 0; wait < MOST_WAITS; wait++) {
      // Who enters is counted before it is seen whether the use has ended, so the order matters.
      long gone = left.sum();
      if (gone == entered.sum()) {
        return true;
      }
      LockSupport.parkNanos(WAIT_NANOS);
    }
    return false;
  }
}
