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
 * A lock file, held by one process at a time and given back by the system when the process dies.
 */
public final class FolderLock implements AutoCloseable {
  /**
   * Lock files that this process holds. Opening such a file once more would lose its lock: POSIX
   * drops all locks of a process on a file when any of its descriptors is closed. The map also
   * keeps a lock whose holder is unreachable, because a channel without references is closed.
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
   * @param owner text that is shown to others that find the lock taken
   * @throws IOException if the file cannot be made
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
