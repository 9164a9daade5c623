package io.idlalayer.jobs.predictions;

import io.idlalayer.jobs.storage.StorageFault;
import io.idlalayer.middleware.sample.SampleSchema;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A prediction log in a file. Rows are written in blocks of 64 KiB, and at each {@link #flush}.
 * After a crash the file is truncated to the length that it had when the learner's state was saved.
 * Then the rows of the events that are learned again are appended.
 */
public final class PredictionFile implements PredictionLog {
  private static final int BUFFER_BYTES = 1 << 16;

  private final Path file;
  private final PredictionFormat format;
  private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
  private @Nullable FileChannel channel;

  /**
   * @param file absolute path; the end of the name determines the format
   */
  public PredictionFile(Path file, SampleSchema.Label label) {
    this.file = file;
    format = new PredictionFormat(label, PredictionFormat.json(file));
  }

  @Override
  public boolean wanted() {
    return true;
  }

  @Override
  public void open(byte @Nullable [] saved) throws IOException {
    try {
      continueAfter(saved);
    } catch (FileSystemException failed) {
      throw unwritable(failed);
    }
  }

  private void continueAfter(byte @Nullable [] saved) throws IOException {
    byte[] header = format.header();
    long rows = saved == null ? 0 : length(saved);
    Path parent = file.getParent();
    if (parent != null) {
      Files.createDirectories(parent);
    }
    FileChannel opened =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    channel = opened;
    if (rows == 0) {
      opened.truncate(0);
      write(ByteBuffer.wrap(header));
      return;
    }
    if (opened.size() < rows) {
      throw new IOException(
          String.format(
              Locale.ROOT,
              "%s has %d bytes, but had %d when the state was saved; restore the missing rows, or name another file",
              file,
              opened.size(),
              rows));
    }
    byte[] found = new byte[header.length];
    opened.read(ByteBuffer.wrap(found), 0);
    if (!Arrays.equals(found, header)) {
      throw new IOException(
          file + " does not begin with the columns of this application; name another file");
    }
    opened.truncate(rows).position(rows);
  }

  /** Returns the saved length of this file; 0 if the state belongs to another file. */
  private long length(byte[] saved) {
    PredictionEnd end = PredictionEnd.decode(saved);
    return end.file().equals(file.toString()) ? end.bytes() : 0;
  }

  private FileChannel opened() {
    FileChannel known = channel;
    if (known == null) {
      throw new IllegalStateException("open() comes first");
    }
    return known;
  }

  @Override
  public void add(PredictedEvent event) throws IOException {
    byte[] row = format.row(event);
    if (row.length > buffer.remaining()) {
      flush();
    }
    if (row.length > buffer.capacity()) {
      write(ByteBuffer.wrap(row));
    } else {
      buffer.put(row);
    }
  }

  @Override
  public void flush() throws IOException {
    buffer.flip();
    try {
      write(buffer);
    } finally {
      buffer.compact();
    }
  }

  private void write(ByteBuffer bytes) throws IOException {
    FileChannel to = opened();
    try {
      while (bytes.hasRemaining()) {
        to.write(bytes);
      }
    } catch (IOException failed) {
      throw unwritable(failed);
    }
  }

  /** Returns a failure that names the file, the reason, and what to do. */
  private IOException unwritable(IOException failed) {
    return new IOException(
        StorageFault.of(failed)
            .map(fault -> fault.at(file).sentence("run the same command again"))
            .orElse(file + ": " + failed),
        failed);
  }

  @Override
  public byte[] save() throws IOException {
    flush();
    FileChannel to = opened();
    try {
      to.force(false);
    } catch (IOException failed) {
      throw unwritable(failed);
    }
    return new PredictionEnd(file.toString(), to.position()).encode();
  }

  @Override
  public void close() throws IOException {
    FileChannel known = channel;
    if (known == null) {
      return;
    }
    channel = null;
    try (known) {
      buffer.flip();
      while (buffer.hasRemaining()) {
        known.write(buffer);
      }
    }
  }
}
