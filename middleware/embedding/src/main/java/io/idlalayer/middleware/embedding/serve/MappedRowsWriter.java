package io.idlalayer.middleware.embedding.serve;

import io.idlalayer.middleware.embedding.file.RowFile;
import io.idlalayer.middleware.embedding.plan.EmbeddingPlan;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Writes the file of {@link MappedRows}, row by row, without keeping rows or an index on the heap.
 */
final class MappedRowsWriter implements RowFile.Sink, AutoCloseable {
  private static final int BUFFER_BYTES = 1 << 20;

  private final EmbeddingPlan plan;
  private final List<MappedRows.Place> tables = new ArrayList<>();
  private final ByteBuffer buffer;

  /** Buffer for rows that are read from the file again to make the index. */
  private final ByteBuffer again;

  private final RowsFolder.Held file;
  private final FileChannel channel;
  private RowFile.Table table = new RowFile.Table("", 0, 1);
  private long salt;
  private long flushed;
  private long rowsAt;
  private long rows;
  private boolean finished;

  /** Creates an empty file to be written. */
  @FunctionalInterface
  interface NewFile {
    RowsFolder.Held create() throws RowsFolderException;
  }

  /**
   * Creates a file and begins to write it. {@link #close} deletes an unfinished file; a finished
   * one is deleted at the end of its last use.
   *
   * @throws RowsFolderException if the file cannot be made
   */
  MappedRowsWriter(NewFile to, EmbeddingPlan plan) throws RowsFolderException {
    this.plan = plan;
    int widest = plan.tables().stream().mapToInt(each -> each.layout().weights()).max().orElse(1);
    int bytes = (int) Math.max(BUFFER_BYTES, MappedRows.strideOf(widest));
    buffer = ByteBuffer.allocateDirect(bytes).order(MappedRows.ORDER);
    again = ByteBuffer.allocateDirect(bytes).order(MappedRows.ORDER);
    // After a crash, the next process that opens the folder recognizes the file by these bytes.
    buffer.putLong(MappedRows.MAGIC).putInt(MappedRows.VERSION).putInt(0);
    // The file is created last, so that no file is left behind if an earlier allocation fails.
    file = to.create();
    channel = file.channel();
  }

  @Override
  public void table(RowFile.Table next) throws IOException {
    RowFile.checkTable(plan, tables.size(), next);
    table = next;
    salt = next.salt();
    align();
    rowsAt = position();
    rows = 0;
  }

  private long position() {
    return flushed + buffer.position();
  }

  private void align() throws RowsFolderException {
    room(Long.BYTES);
    while (position() % Long.BYTES != 0) {
      buffer.put((byte) 0);
    }
  }

  private void room(long bytes) throws RowsFolderException {
    if (buffer.remaining() < bytes) {
      flush();
    }
  }

  private void flush() throws RowsFolderException {
    buffer.flip();
    try {
      while (buffer.hasRemaining()) {
        flushed += channel.write(buffer);
      }
    } catch (IOException failed) {
      throw new RowsFolderException(
          "rows cannot be written to %s; make room or name another folder: %s"
              .formatted(file.file(), failed.getMessage()),
          failed);
    }
    buffer.clear();
  }

  @Override
  public void row(long key, float[] values, int at) throws IOException {
    stored(EmbeddingPlan.Table.rowKey(key, salt), values, at);
  }

  /** Adds a row under its row key to the table. */
  void stored(long rowKey, float[] values, int at) throws IOException {
    room(MappedRows.strideOf(table.weights()));
    buffer.putLong(rowKey);
    for (int i = 0; i < table.weights(); i++) {
      buffer.putFloat(values[at + i]);
    }
    rows++;
  }

  @Override
  public void deleted(long key) throws IOException {
    throw new IOException("a full row file has a deleted row");
  }

  @Override
  public void end() throws IOException {
    if (rows > Integer.MAX_VALUE - 1) {
      throw new IOException(
          String.format(
              Locale.ROOT,
              "table '%s' has %,d rows, more than one mapped table can have",
              table.name(),
              rows));
    }
    align();
    flush();
    long indexAt = position();
    int bits = MappedRows.indexBits((int) rows);
    index(bits);
    tables.add(new MappedRows.Place(table, (int) rows, rowsAt, bits, indexAt));
  }

  /**
   * Writes the index of the table whose rows were written last. Reads its rows once more, because
   * their number is known only now.
   */
  private void index(int bits) throws RowsFolderException {
    int stride = (int) MappedRows.strideOf(table.weights());
    int atOnce = again.capacity() / stride * stride;
    long end = rowsAt + rows * stride;
    int row = 0;
    long cell = 0;
    for (long at = rowsAt; at < end; at += again.limit()) {
      again.clear().limit((int) Math.min(atOnce, end - at));
      readAgain(at);
      for (int in = 0; in < again.limit(); in += stride) {
        long of = again.getLong(in) >>> (Long.SIZE - bits);
        for (; cell <= of; cell++) {
          room(Integer.BYTES);
          buffer.putInt(row);
        }
        row++;
      }
    }
    for (; cell <= 1L << bits; cell++) {
      room(Integer.BYTES);
      buffer.putInt(row);
    }
  }

  private void readAgain(long from) throws RowsFolderException {
    try {
      while (again.hasRemaining()) {
        if (channel.read(again, from + again.position()) < 0) {
          throw new EOFException("the file became shorter while it was read");
        }
      }
    } catch (IOException failed) {
      throw new RowsFolderException(
          "the rows just written to %s cannot be read back; check the disk or name another folder: %s"
              .formatted(file.file(), failed.getMessage()),
          failed);
    }
  }

  /** Completes the file, maps it and returns its first use, which the caller closes. */
  MappedRows.Use finish() throws IOException {
    RowFile.checkAllTables(plan, tables.size());
    flush();
    MappedRows.Use use = MappedRows.map(file, tables).use();
    finished = true;
    return use;
  }

  /** Deletes the file unless {@link #finish} has completed it. */
  @Override
  public void close() throws IOException {
    if (!finished) {
      RowsFolder.delete(file);
    }
  }
}
