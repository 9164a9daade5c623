package io.idlalayer.jobs.recovery;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A lock file. One process at a time holds the lock, and the operating system releases it when the
 * process dies.
 */
public final class FolderLock implements AutoCloseable {
  /**
   * Lock files that this process holds. The process must not open such a file a second time: when
   * the process closes any descriptor of a file, POSIX drops all locks of the process on this file.
   * The map also keeps each lock reachable, because the channel of an unreachable lock would be
   * closed.
   */
  private static final Map<Path, Object> HELD = new ConcurrentHashMap<>();

  private final Path file;
  private final FileChannel channel;

  private FolderLock(Path file, FileChannel channel) {
    this.file = file;
    this.channel = channel;
  }

  /**
   * Takes a lock if no process holds it.
   *
   * @param owner text about the holder, which other processes show if they find the lock taken
   * @throws IOException if the lock file cannot be created
   */
  public static Optional<FolderLock> take(Path lockFile, String owner) throws IOException {
    Path file = lockFile.toAbsolutePath().normalize();
    if (HELD.putIfAbsent(file, file) != null) {
      return Optional.empty();
    }
    FileChannel channel = null;
    boolean taken = false;
    try {
      channel =
          FileChannel.open(
              file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
      FileLock lock = channel.tryLock();
      if (lock == null) {
        return Optional.empty();
      }
      channel.truncate(0);
      channel.write(ByteBuffer.wrap((owner + "\n").getBytes(StandardCharsets.UTF_8)));
      taken = true;
      FolderLock held = new FolderLock(file, channel);
      HELD.put(file, held);
      return Optional.of(held);
    } finally {
      if (!taken) {
        HELD.remove(file);
        if (channel != null) {
          channel.close();
        }
      }
    }
  }

  /** Returns the text that the holder of a lock has written about itself. */
  public static String owner(Path lockFile) {
    Path file = lockFile.toAbsolutePath().normalize();
    if (HELD.containsKey(file)) {
      return "process " + ProcessHandle.current().pid();
    }
    try {
      return Files.readString(file).strip();
    } catch (IOException unreadable) {
      return "another process (%s)".formatted(unreadable);
    }
  }

  @Override
  public void close() throws IOException {
    try {
      channel.close();
    } finally {
      HELD.remove(file);
    }
  }
}
