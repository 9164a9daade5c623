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
 * whole.
 */
public final class AttemptFile implements AttemptStore {
  private final Path file;
  private final Path staged;

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
    Files.createDirectories(file.toAbsolutePath().getParent());
    try (FileChannel channel =
        FileChannel.open(
            staged,
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE,
            StandardOpenOption.TRUNCATE_EXISTING)) {
      ByteBuffer bytes = ByteBuffer.wrap(attempt.snapshot());
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
