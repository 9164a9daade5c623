package io.idlalayer.middleware.embedding.serve;

import io.idlalayer.middleware.embedding.file.RowFile;
import io.idlalayer.middleware.embedding.plan.EmbeddingPlan;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All embedding rows of a version in a memory-mapped file; the operating system keeps in memory the
 * parts that are read. The file is local, belongs to this process and is deleted after its last
 * use. Only the process that wrote it reads it and knows where its tables are. Safe for many
 * threads. Version 2, little-endian:
 *
 * <pre>
 *   header of 16 bytes: i64 magic, i32 version, i32 zero
 *   for each table, at a multiple of 8: rows of fixed length, by ascending {@link
 *     EmbeddingPlan.Table#rowKey} as unsigned numbers: i64 row key, floats of the weights
 *   then its index: i32, for each value of the first bits of row keys: the first row whose first
 * bits have this value or a larger one; at the end the number of rows
 * </pre>
 *
 * Row keys are hashes, so rows are spread evenly over the values of their first bits. On average
 * two to four rows share a value, and a lookup searches only these.
 */
final class MappedRows {
  static final ByteOrder ORDER = ByteOrder.LITTLE_ENDIAN;

  /** First eight bytes of a file: "IDLROWS" and a zero byte. */
  static final long MAGIC = 0x0053574F524C4449L;

  static final int VERSION = 2;
  private static final int MOST_INDEX_BITS = 27;

  /** Size of one mapping; the JVM maps 2 GiB at most. */
  private static final long SEGMENT_BYTES = 1L << 30;

  private static final Logger LOG = LoggerFactory.getLogger(MappedRows.class);

  /** Number of waits for readers when the file is closed, together ten seconds or more. */
  private static final int MOST_WAITS = 100_000;

  private static final long WAIT_NANOS = 100_000;

  private final RowsFolder.Held file;
  private final List<Table> tables = new ArrayList<>();
  private final List<MappedByteBuffer> mapped = new ArrayList<>();

  /** Number of reads that have begun; the next counter has those that have ended. */
  private final LongAdder entered = new LongAdder();

  private final LongAdder left = new LongAdder();

  /** Number of open uses, guarded by this object like {@link #closed}. */
  private int uses;

  private boolean closed;

  /** The place of a table in the file. */
  record Place(RowFile.Table table, int rows, long rowsAt, int indexBits, long indexAt) {
    long stride() {
      return strideOf(table.weights());
    }
  }

  static long strideOf(int weights) {
    return Long.BYTES + (long) Float.BYTES * weights;
  }

  /**
   * Returns the number of leading bits of a row key that the index of a table with this many rows
   * distinguishes.
   */
  static int indexBits(int rows) {
    int needed = Integer.SIZE - Integer.numberOfLeadingZeros(Math.max(1, rows / 4 - 1));
    return Math.max(1, Math.min(MOST_INDEX_BITS, needed));
  }

  private MappedRows(RowsFolder.Held file) {
    this.file = file;
  }

  /**
   * Maps a file that was written completely. If that fails, the file is still the caller's.
   *
   * @throws RowsFolderException if the system refuses
   */
  static MappedRows map(RowsFolder.Held file, List<Place> places) throws RowsFolderException {
    MappedRows rows = new MappedRows(file);
    boolean done = false;
    try {
      for (Place place : places) {
        rows.tables.add(rows.map(place));
      }
      done = true;
      return rows;
    } catch (IOException refused) {
      throw new RowsFolderException(
          "the rows in %s cannot be mapped; raise the limits of this process (ulimit -v, vm.max_map_count) or keep the rows on the heap: %s"
              .formatted(file.file(), refused.getMessage()),
          refused);
    } finally {
      if (!done) {
        rows.mapped.forEach(Mappings::unmap);
      }
    }
  }

  private Table map(Place place) throws IOException {
    int shift = 63 - Long.numberOfLeadingZeros(Math.max(1, SEGMENT_BYTES / place.stride()));
    shift = Math.min(shift, 30);
    long rowsOfSegment = 1L << shift;
    List<ByteBuffer> keys = new ArrayList<>();
    List<FloatBuffer> weights = new ArrayList<>();
    for (long first = 0; first < place.rows(); first += rowsOfSegment) {
      long rows = Math.min(rowsOfSegment, place.rows() - first);
      ByteBuffer segment = map(place.rowsAt() + first * place.stride(), rows * place.stride());
      keys.add(segment);
      weights.add(segment.asFloatBuffer());
    }
    long cells = (1L << place.indexBits()) + 1;
    IntBuffer index = map(place.indexAt(), cells * Integer.BYTES).asIntBuffer();
    return new Table(
        place, shift, keys.toArray(ByteBuffer[]::new), weights.toArray(FloatBuffer[]::new), index);
  }

  private ByteBuffer map(long at, long bytes) throws IOException {
    MappedByteBuffer buffer = file.channel().map(FileChannel.MapMode.READ_ONLY, at, bytes);
    mapped.add(buffer);
    return buffer.order(ORDER);
  }

  /** A table of the file; it may be read only between {@link Use#enter} and {@link Use#leave}. */
  private static final class Table implements BaseRows {
    private final Place place;
    private final long salt;
    private final int shift;
    private final int stride;
    private final int weights;
    private final ByteBuffer[] keys;
    private final FloatBuffer[] values;
    private final IntBuffer index;
    private final int indexShift;

    Table(Place place, int shift, ByteBuffer[] keys, FloatBuffer[] values, IntBuffer index) {
      this.place = place;
      salt = place.table().salt();
      this.shift = shift;
      this.keys = keys;
      this.values = values;
      this.index = index;
      stride = (int) place.stride();
      weights = place.table().weights();
      indexShift = Long.SIZE - place.indexBits();
    }

    @Override
    public int size() {
      return place.rows();
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

  /** Returns the row key of the row in a slot of a table. */
  long rowKey(int table, int slot) {
    return tables.get(table).rowKey(slot);
  }

  /** Returns the size of the file in bytes. */
  long bytes() {
    return mapped.stream().mapToLong(MappedByteBuffer::capacity).sum();
  }

  /**
   * Keeps the mapped file from being deleted until this use is closed; closing again does nothing.
   */
  final class Use implements AutoCloseable {
    private final AtomicBoolean ended = new AtomicBoolean();

    private Use() {}

    MappedRows rows() {
      return MappedRows.this;
    }

    /**
     * Declares that a thread begins to read rows; {@link #leave} must follow.
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
   * Opens another use of the file.
   *
   * @throws IllegalStateException if the last use has ended
   */
  synchronized Use use() {
    if (closed) {
      throw new IllegalStateException(
          "these rows cannot be continued: their model is closed, and their mapped file with it");
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
      // The garbage collector unmaps it.
      LOG.warn(
          "{} is still read after its model was closed; the garbage collector unmaps it",
          file.file());
    }
  }

  /**
   * Waits for the reads that had begun before the file was closed; returns whether all of them have
   * ended. No read is left if all callers keep to their leases.
   */
  private boolean allLeft() {
    for (int wait = 0; wait < MOST_WAITS; wait++) {
      // A reader is counted before it sees whether the use has ended, so the order of the two sums
      // matters.
      long gone = left.sum();
      if (gone == entered.sum()) {
        return true;
      }
      LockSupport.parkNanos(WAIT_NANOS);
    }
    return false;
  }
}
