package io.idlalayer.jobs.learner.update;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/**
 * A store that keeps the {@link Attempt} of a learner in a small file, which is replaced as a
 * whole. A record that need not survive a power failure and names no failure overwrites the
 * previous record in place if both have the same length. This takes one system call instead of six.
 * The death of the process cannot leave such a record half written, because it fits into one page.
 * A power failure can leave it half written; then only this record is lost.
 */
public final class AttemptFile implements AttemptStore {
  /** Most bytes that are written in place: the smallest page of memory. */
  private static final int PAGE_BYTES = 4096;

  private final Path file;
  private final Path staged;

  /** Length of the record that this object has written into the file; 0 if it is not known. */
  private int bytesInPlace;

  public AttemptFile(Path file) {
    this.file = file;
    staged = file.resolveSibling(file.getFileName() + ".new");
  }

  @Override
  public Attempt read() throws IOException {
    try {
      return Attempt.restore(Files.readAllBytes(file));
    } catch (NoSuchFileException none) {
      return Attempt.NONE;
    }
  }

  @Override
  public void write(Attempt attempt, boolean durable) throws IOException {
    byte[] record = attempt.snapshot();
    boolean fits = record.length == bytesInPlace && record.length <= PAGE_BYTES;
    if (durable || !fits || !attempt.remembersNothing() || !overwrite(record)) {
      bytesInPlace = 0;
      replace(record, durable);
      bytesInPlace = record.length;
    }
  }

  /** Writes a record over the one in the file; returns false if the file is gone. */
  private boolean overwrite(byte[] record) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      return channel.write(ByteBuffer.wrap(record)) == record.length;
    } catch (NoSuchFileException gone) {
      return false;
    }
  }

  private void replace(byte[] record, boolean durable) throws IOException {
    Files.createDirectories(file.toAbsolutePath().getParent());
    try (FileChannel channel =
        FileChannel.open(
            staged,
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE,
            StandardOpenOption.TRUNCATE_EXISTING)) {
      ByteBuffer bytes = ByteBuffer.wrap(record);
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
      if (durable) {
        channel.force(true);
      }
    }
    Files.move(staged, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }
}
