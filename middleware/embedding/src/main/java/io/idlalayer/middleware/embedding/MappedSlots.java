package io.idlalayer.middleware.embedding;

import io.idlalayer.middleware.sample.IdLists;
import io.idlalayer.middleware.sample.RowIndex;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A mapped file with a slot for each row of the tables of fixed size. A slot begins at a multiple
 * of {@value #ALIGNMENT} bytes and has the bytes of {@link StoredRow}. Where a row's slot is
 * follows from its key (Hildebrand 2022, chapter 5), so there is no index.
 *
 * <p>Rows are read and written in the mapping. Pages that were never written take no blocks of the
 * disk. Before the first write to a page a call fills it with zeros, which is refused if the disk
 * is full: a write into a mapped page for which there is no block is an error of the process, not
 * an answer.
 *
 * <p>The file begins with the eight bytes of {@link MappedRows}, a version and a kind; nobody but
 * its process reads it. One thread.
 */
final class MappedSlots implements AutoCloseable {
  /** Bytes of a line of the processor's cache. */
  static final int ALIGNMENT = 64;

  /** Of a row key that has no slot. */
  static final long NONE = -1;

  private static final int VERSION = 1;

  /** Of files of {@link MappedRows} this is 0. */
  private static final int KIND = 1;

  /** One mapping can have 2 GiB at most. */
  private static final int SEGMENT_BYTES = 1 << 30;

  /** Of the system's memory at least: processors of other kinds have larger pages. */
  private static final int PAGE_BYTES =
      "amd64".equals(System.getProperty("os.arch")) ? 1 << 12 : 1 << 16;

  /** Keys of tables of fixed size differ in these bits only. */
  private static final int KEY_BITS =
      Long.SIZE - Long.numberOfLeadingZeros(IdLists.UNKNOWN + 1 + RowIndex.MOST_ROWS);

  /**
   * So much of the disk is left to others: a full one would end the job that has its state there.
   */
  private static final long LEAST_FREE_BYTES = 256L << 20;

  /** Pages between two looks at how much is left. */
  private static final int PAGES_BETWEEN_LOOKS = 1 << 10;

  /** Says how many bytes a file's disk has left. */
  @FunctionalInterface
  interface UsableBytes {
    long of(Path file) throws IOException;
  }

  private final RowsFolder.Held file;
  private final UsableBytes usableBytes;
  private final Table[] tables;

  /** The upper bits of the salts of the tables, in their order. */
  private final long[] salts;

  private final List<MappedByteBuffer> mapped = new ArrayList<>();

  /** For what is written by calls, of one page. */
  private final ByteBuffer page = ByteBuffer.allocateDirect(PAGE_BYTES);

  /** A bit for each page that has blocks. */
  private final long[] pages;

  private long newPages;
  private long rows;
  private long bytes;
  private boolean closed;

  /**
   * Makes a file, without a row.
   *
   * @param to makes the file
   * @param plan at least one of whose tables has a fixed size
   * @param usableBytes says what is left of the disk
   * @throws RowsFolderException if there can be no file
   */
  MappedSlots(MappedRowsWriter.NewFile to, EmbeddingPlan plan, UsableBytes usableBytes)
      throws RowsFolderException {
    this.usableBytes = usableBytes;
    List<EmbeddingPlan.Table> fixed =
        plan.tables().stream()
            .filter(table -> table.index().fixed())
            .sorted(Comparator.comparingLong(table -> upperBits(table.salt())))
            .toList();
    salts = fixed.stream().mapToLong(table -> upperBits(table.salt())).toArray();
    tables = new Table[salts.length];
    long at = ALIGNMENT;
    for (int i = 0; i < tables.length; i++) {
      tables[i] = new Table(fixed.get(i), at);
      at += slots(fixed.get(i)) * slotBytes(fixed.get(i));
    }
    // Pages that are too many for an array are too many for a disk, which begin() finds out.
    pages = new long[words(Math.min(Integer.MAX_VALUE, at / PAGE_BYTES + 1))];
    file = to.create();
    boolean done = false;
    try {
      begin(at);
      done = true;
    } catch (IOException refused) {
      throw new RowsFolderException(
          "%s cannot have the %,d bytes of the rows of all tables of fixed size, name another folder or have the rows in keyed state only: %s"
              .formatted(file.file(), at, refused.getMessage()),
          refused);
    } finally {
      if (!done) {
        close();
      }
    }
  }

  private static long upperBits(long number) {
    return number >>> KEY_BITS;
  }

  private void begin(long fileBytes) throws IOException {
    if (fileBytes / PAGE_BYTES >= Integer.MAX_VALUE) {
      throw new IOException("no file can have so many pages");
    }
    FileChannel channel = file.channel();
    page.order(MappedRows.ORDER).putLong(MappedRows.MAGIC).putInt(VERSION).putInt(KIND).flip();
    write(0);
    page.clear().put(new byte[PAGE_BYTES]);
    // One byte gives the file its length and no blocks before it.
    page.position(0).limit(1);
    write(fileBytes - 1);
    for (Table table : tables) {
      table.map(channel);
    }
  }

  private void write(long at) throws IOException {
    while (page.hasRemaining()) {
      at += file.channel().write(page, at);
    }
  }

  /** Refuses a new page if the disk has little left; looks now and then. */
  private void leaveRoom() throws IOException {
    if (newPages++ % PAGES_BETWEEN_LOOKS == 0) {
      long left = usableBytes.of(file.file());
      if (left < LEAST_FREE_BYTES) {
        throw new IOException(
            "the disk has %,d MiB left, which are for others".formatted(left >> 20));
      }
    }
  }

  /** Whether a row can be written to its slot without a new page. */
  boolean hasBlocks(long place) {
    long from = offset(place);
    long last = from + tableAt(place).rowBytes - 1;
    for (long i = from / PAGE_BYTES; i <= last / PAGE_BYTES; i++) {
      if (!get(pages, (int) i)) {
        return false;
      }
    }
    return true;
  }

  /** Gives the pages of some bytes their blocks. */
  private void allocate(long from, int length) throws IOException {
    int last = (int) ((from + length - 1) / PAGE_BYTES);
    for (int i = (int) (from / PAGE_BYTES); i <= last; i++) {
      if (!get(pages, i)) {
        leaveRoom();
        long at = (long) i * PAGE_BYTES;
        // The first page begins with what the file is.
        page.position(0).limit(PAGE_BYTES - (i == 0 ? ALIGNMENT : 0));
        write(at + (i == 0 ? ALIGNMENT : 0));
        set(pages, i, true);
      }
    }
  }

  /** The slots of a table. */
  private final class Table {
    final EmbeddingPlan.Table table;
    final int rowBytes;
    final long slotBytes;
    final long slots;
    final long at;

    /** So that a segment has two to the power of this many slots. */
    final int segmentShift;

    final List<MappedByteBuffer> segments = new ArrayList<>();

    /** A bit for each slot whose row is known to be in it, or to be nowhere. */
    final long[] known;

    /** A bit for each slot that has its row. */
    final long[] present;

    Table(EmbeddingPlan.Table table, long at) {
      this.table = table;
      this.at = at;
      rowBytes = StoredRow.bytes(table.layout().stride());
      slotBytes = MappedSlots.slotBytes(table);
      slots = MappedSlots.slots(table);
      segmentShift = 63 - Long.numberOfLeadingZeros(Math.max(1, SEGMENT_BYTES / slotBytes));
      known = new long[words(slots)];
      present = new long[known.length];
    }

    void map(FileChannel channel) throws IOException {
      long segmentSlots = 1L << segmentShift;
      for (long first = 0; first < slots; first += segmentSlots) {
        long length = Math.min(segmentSlots, slots - first) * slotBytes;
        MappedByteBuffer segment =
            channel.map(FileChannel.MapMode.READ_WRITE, at + first * slotBytes, length);
        mapped.add(segment);
        segments.add(segment);
      }
    }

    byte[] read(int slot) {
      byte[] row = new byte[rowBytes];
      segments.get(slot >>> segmentShift).get(inSegment(slot), row);
      return row;
    }

    void write(int slot, byte[] row) {
      segments.get(slot >>> segmentShift).put(inSegment(slot), row);
    }

    private int inSegment(int slot) {
      return (int) ((slot & ((1 << segmentShift) - 1)) * slotBytes);
    }
  }

  /** Where the slot of a row is, or {@link #NONE} if its table is open or the file is deleted. */
  long place(long rowKey) {
    if (closed) {
      return NONE;
    }
    int found = Arrays.binarySearch(salts, upperBits(EmbeddingPlan.Table.unsalted(rowKey)));
    if (found < 0) {
      return NONE;
    }
    EmbeddingPlan.Table table = tables[found].table;
    long key = table.key(rowKey);
    return table.index().holds(key) ? (long) found << Integer.SIZE | key : NONE;
  }

  /** Where a slot is in the file. */
  long offset(long place) {
    Table table = tableAt(place);
    return table.at + (int) place * table.slotBytes;
  }

  private Table tableAt(long place) {
    return tables[(int) (place >>> Integer.SIZE)];
  }

  private static boolean get(long[] bits, int i) {
    return (bits[i >>> 6] >>> i & 1) != 0;
  }

  private static void set(long[] bits, int i, boolean to) {
    long bit = 1L << i;
    bits[i >>> 6] = to ? bits[i >>> 6] | bit : bits[i >>> 6] & ~bit;
  }

  /** Whether it is known that there is no row. */
  boolean absent(long place) {
    Table table = tableAt(place);
    return get(table.known, (int) place) && !get(table.present, (int) place);
  }

  /**
   * A copy of a row; null if the slot has none.
   *
   * @throws InternalError if the disk fails
   */
  byte @Nullable [] read(long place) {
    Table table = tableAt(place);
    return get(table.present, (int) place) ? table.read((int) place) : null;
  }

  /**
   * Writes a row to its slot. If that fails, or the row is not as long as those of its table, the
   * slot has none.
   *
   * @throws IOException if the disk is full or fails
   * @throws InternalError if it fails later than when it was asked
   */
  void write(long place, byte[] row) throws IOException {
    Table table = tableAt(place);
    int slot = (int) place;
    forget(place);
    if (row.length == table.rowBytes) {
      allocate(offset(place), row.length);
      table.write(slot, row);
      mark(table, slot, true, true);
    }
  }

  /** No row is anywhere. */
  void setAllAbsent() {
    for (Table table : tables) {
      Arrays.fill(table.known, -1L);
      Arrays.fill(table.present, 0L);
    }
    rows = 0;
    bytes = 0;
  }

  /** There is no row. */
  void setAbsent(long place) {
    mark(tableAt(place), (int) place, true, false);
  }

  /** Nothing is known of a row any more. */
  void forget(long place) {
    mark(tableAt(place), (int) place, false, false);
  }

  private void mark(Table table, int slot, boolean known, boolean present) {
    if (present != get(table.present, slot)) {
      rows += present ? 1 : -1;
      bytes += present ? table.slotBytes : -table.slotBytes;
    }
    set(table.known, slot, known);
    set(table.present, slot, present);
  }

  /** Slots that have their row; 0 once the file is deleted. */
  long rows() {
    return closed ? 0 : rows;
  }

  /** Bytes of these slots; 0 once the file is deleted. */
  long bytes() {
    return closed ? 0 : bytes;
  }

  /** The file, for messages. */
  String file() {
    return file.file().toString();
  }

  /** Bytes of DRAM for what is known of the rows of all tables of fixed size. */
  static long markBytes(EmbeddingPlan plan) {
    long words = 0;
    long fileBytes = 0;
    for (EmbeddingPlan.Table table : plan.tables()) {
      if (table.index().fixed()) {
        words += 2L * words(slots(table));
        fileBytes += slots(table) * slotBytes(table);
      }
    }
    return Long.BYTES * (words + words(fileBytes / PAGE_BYTES));
  }

  private static long slotBytes(EmbeddingPlan.Table table) {
    int rowBytes = StoredRow.bytes(table.layout().stride());
    return (rowBytes + ALIGNMENT - 1L) / ALIGNMENT * ALIGNMENT;
  }

  /** Those of missing and of unknown ids included. */
  private static long slots(EmbeddingPlan.Table table) {
    return table.index().rows() + IdLists.UNKNOWN + 1;
  }

  /** For so many bits. */
  private static int words(long bits) {
    return (int) ((bits + Long.SIZE - 1) / Long.SIZE);
  }

  /** Deletes the file; no row has a slot any more. Closing again does nothing. */
  @Override
  public void close() throws RowsFolderException {
    if (closed) {
      return;
    }
    closed = true;
    mapped.forEach(Mappings::unmap);
    mapped.clear();
    try {
      RowsFolder.delete(file);
    } catch (IOException stays) {
      throw new RowsFolderException(
          "%s cannot be deleted: %s".formatted(file.file(), stays.getMessage()), stays);
    }
  }
}
