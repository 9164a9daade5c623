package io.idlalayer.middleware.embedding;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.List;

/** Writes the file of {@link MappedRows}, row by row, without a row or an index on the heap. */
final class MappedRowsWriter implements RowFile.Sink, AutoCloseable {
  private static final int BUFFER_BYTES = 1 << 20;

  private final EmbeddingPlan plan;
  private final RowsFolder.Held file;
  private final FileChannel channel;
  private final List<MappedRows.Contents> tables = new ArrayList<>();
  private final ByteBuffer buffer;
  private RowFile.Table table = new RowFile.Table("", 0, 1);
  private long salt;
  private long rowsAt;
  private long rows;
  private boolean finished;

  /**
   * Begins a file.
   *
   * @param file that is empty; it is deleted by {@link #close}, or by those who use it
   */
  MappedRowsWriter(RowsFolder.Held file, EmbeddingPlan plan) {
    this.plan = plan;
    this.file = file;
    channel = file.channel();
    int widest = plan.tables().stream().mapToInt(each -> each.layout().weights()).max().orElse(1);
    buffer =
        ByteBuffer.allocateDirect((int) Math.max(BUFFER_BYTES, MappedRows.strideOf(widest)))
            .order(MappedRows.ORDER);
    // Whoever finds it after a crash knows by this what it is.
    buffer.putLong(MappedRows.MAGIC).putInt(MappedRows.VERSION);
    buffer.position(MappedRows.HEADER_BYTES);
  }

  @Override
  public void table(RowFile.Table next) throws IOException {
    int at = tables.size();
    if (at >= plan.tables().size() || !RowFile.Table.of(plan.tables().get(at)).equals(next)) {
      throw new IOException("its %s is not in the model".formatted(next));
    }
    table = next;
    salt = next.salt();
    align();
    rowsAt = position();
    rows = 0;
  }

  private long position() throws IOException {
    return channel.position() + buffer.position();
  }

  private void align() throws IOException {
    room(Long.BYTES);
    while (position() % Long.BYTES != 0) {
      buffer.put((byte) 0);
    }
  }

  private void room(long bytes) throws IOException {
    if (buffer.remaining() < bytes) {
      flush();
    }
  }

  private void flush() throws IOException {
    buffer.flip();
    write(buffer);
    buffer.clear();
  }

  private void write(ByteBuffer bytes) throws RowsFolderException {
    try {
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
    } catch (IOException failed) {
      throw new RowsFolderException(
          "rows cannot be written to %s, make room or name another folder: %s"
              .formatted(file.file(), failed.getMessage()),
          failed);
    }
  }

  @Override
  public void row(long key, float[] values, int at) throws IOException {
    stored(EmbeddingPlan.Table.rowKey(key, salt), values, at);
  }

  /** Adds a row by the key under which files have it. */
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
    throw new IOException("a full file has a deleted row");
  }

  @Override
  public void end() throws IOException {
    if (rows > Integer.MAX_VALUE - 1) {
      throw new IOException(
          "table '%s' has %,d rows, more than one mapped table can have"
              .formatted(table.name(), rows));
    }
    align();
    flush();
    long indexAt = channel.position();
    int bits = MappedRows.indexBits((int) rows);
    index(bits);
    tables.add(new MappedRows.Contents(table, (int) rows, rowsAt, bits, indexAt));
  }

  /** Reads the rows once more: how many there are is known only now. */
  private void index(int bits) throws IOException {
    int stride = (int) MappedRows.strideOf(table.weights());
    ByteBuffer read =
        ByteBuffer.allocateDirect(Math.max(1, BUFFER_BYTES / stride) * stride)
            .order(MappedRows.ORDER);
    long end = rowsAt + rows * stride;
    int row = 0;
    long cell = 0;
    for (long at = rowsAt; at < end; ) {
      read.clear().limit((int) Math.min(read.capacity(), end - at));
      while (read.hasRemaining()) {
        if (channel.read(read, at + read.position()) < 0) {
          throw new IOException("the rows that were written are not there");
        }
      }
      at += read.position();
      for (int in = 0; in < read.position(); in += stride) {
        long of = read.getLong(in) >>> (Long.SIZE - bits);
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

  /** Ends the file and maps it. Whoever uses it first must close that use. */
  MappedRows.Use finish() throws IOException {
    if (tables.size() != plan.tables().size()) {
      throw new IOException(
          "it has %d tables instead of %d".formatted(tables.size(), plan.tables().size()));
    }
    byte[] contents = contents();
    flush();
    long contentsAt = channel.position();
    write(ByteBuffer.wrap(contents));
    ByteBuffer header = ByteBuffer.allocate(MappedRows.HEADER_BYTES).order(MappedRows.ORDER);
    header
        .putLong(MappedRows.MAGIC)
        .putInt(MappedRows.VERSION)
        .putInt(tables.size())
        .putLong(contentsAt)
        .putLong(contents.length)
        .put(MappedRows.sha256(contents));
    channel.position(0);
    write(header.flip());
    MappedRows.Use use = MappedRows.open(file, plan).use();
    finished = true;
    return use;
  }

  private byte[] contents() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    for (MappedRows.Contents each : tables) {
      out.writeUTF(each.table().name());
      out.writeInt(each.table().vector());
      out.writeInt(each.table().weights());
      out.writeInt(each.rows());
      out.writeLong(each.rowsAt());
      out.writeInt(each.indexBits());
      out.writeLong(each.indexAt());
    }
    return bytes.toByteArray();
  }

  /** Deletes the file unless it was finished. */
  @Override
  public void close() throws IOException {
    if (!finished) {
      RowsFolder.delete(file);
    }
  }
}
